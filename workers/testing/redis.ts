/** A Redis of one's own for a test: Debian's redis-server on a free port, in a folder that goes away with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../common/testing/free-port.ts';

export interface RedisServerOptions {
  /** Append-only file, flushed once a second (`true`) or at every write. */
  aof?: boolean | 'always';
  password?: string;
  /** For example "20mb"; the policy is "noeviction" unless `args` say otherwise. */
  maxmemory?: string;
  /** One node that owns all slots. */
  cluster?: boolean;
  /** Further arguments of redis-server. */
  args?: readonly string[];
}

export interface RedisServer {
  readonly port: number;
  /** With the password, where there is one. */
  readonly url: string;
  readonly pid: number;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** On the same port and folder. `empty`: without what was kept there. */
  start(how?: { empty?: boolean }): Promise<void>;
  /** SIGSTOP and SIGCONT: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

const MISSING = 'These tests need a real Redis: apt-get install redis-server';

/** Starts a Redis and resolves when it answers. Rejects with a sentence where there is no redis-server. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-redis-'));
  const port = await freePort();
  const secret = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`;
  let child: ChildProcess | null = null;

  const start = async (how: { empty?: boolean } = {}) => {
    if (how.empty === true) {
      for (const name of ['appendonlydir', 'dump.rdb'])
        rmSync(join(folder, name), { recursive: true, force: true });
    }
    child = await launch([
      ...argumentsFor(options, port, folder),
      ...(await clusterArguments(options, folder)),
    ]);
    await answering(port, child);
    if (options.cluster !== true) return;
    await command(port, 'CLUSTER ADDSLOTSRANGE 0 16383');
    while (!(await command(port, 'CLUSTER INFO')).includes('cluster_state:ok')) await moment();
  };
  const kill = async () => {
    const gone = child;
    child = null;
    if (gone === null) return;
    const ended = new Promise((resolve) => gone.once('exit', resolve));
    gone.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    port,
    url: `redis://${secret}127.0.0.1:${port}`,
    get pid() {
      return child!.pid!;
    },
    kill,
    start,
    freeze: () => void child!.kill('SIGSTOP'),
    thaw: () => void child!.kill('SIGCONT'),
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A sentinel that watches one server under the name "main". */
export async function startSentinel(master: RedisServer): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'pragaura-sentinel-'));
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    `port ${port}\nbind 127.0.0.1\ndir ${folder}\nsentinel monitor main 127.0.0.1 ${master.port} 1\n`,
  );
  const child = await launch([file, '--sentinel']);
  await answering(port, child);
  return {
    url: `redis+sentinel://127.0.0.1:${port}/main`,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function argumentsFor(options: RedisServerOptions, port: number, folder: string): string[] {
  const { aof = false, password, maxmemory, args = [] } = options;
  return [
    ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--loglevel', 'warning'],
    ...[
      '--appendonly',
      aof === false ? 'no' : 'yes',
      '--appendfsync',
      aof === 'always' ? 'always' : 'everysec',
    ],
    ...['--maxmemory-policy', 'noeviction'],
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...(maxmemory === undefined ? [] : ['--maxmemory', maxmemory]),
    ...args,
  ];
}

/** Without an address to announce, a node that has met no other has none. */
async function clusterArguments({ cluster }: RedisServerOptions, folder: string): Promise<string[]> {
  if (cluster !== true) return [];
  return [
    ...['--cluster-enabled', 'yes', '--cluster-config-file', join(folder, 'nodes.conf')],
    ...['--cluster-port', `${await freePort()}`, '--cluster-announce-ip', '127.0.0.1'],
  ];
}

function launch(args: readonly string[]): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn('redis-server', args, { stdio: 'ignore' });
    child.once('spawn', () => resolve(child));
    child.once('error', (error) => reject(new Error(MISSING, { cause: error })));
  });
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Until it answers a PING, also where it wants a password, and has read its append-only file. */
async function answering(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    const reply = await command(port, 'PING').catch(() => '');
    if (/^(\+PONG|-NOAUTH)/.test(reply)) return;
    await moment();
  }
}

/** The reply to one inline command. */
function command(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}
