/** `pragaura bench failover --indexing N`: what is visible when workers, and whoever has documents indexed by them, are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtFile, PragauraError, seededRandom } from '../../common/index.ts';
import { startPostgres } from '../../corpus/backend/testing/start-postgres.ts';
import { indexDocuments } from '../../router/index.ts';
import { startRedis } from '../../workers/testing/redis.ts';
import { upperShare } from '../measure/table.ts';
import { stateOf, visible } from './visible.ts';

const WORKERS = 2;
/** Seconds after which what a killed worker had goes to the other. */
const LOCK_S = 1;

export interface IndexingKillsReport {
  schema: 'pragaura.bench-failover-indexing/1';
  documents: number;
  passages: number;
  workers: number;
  /** Milliseconds that indexing takes where nobody is killed. */
  undisturbedMs: number;
  killed: { coordinator: number; worker: number };
  /** What one who opens the index saw after a kill. */
  seen: { before: number; after: number };
  /** Anything else that was seen. */
  torn: string[];
  /** What it was in the end where that was not what one process makes. */
  otherwise: string[];
}

/**
 * Has every document of a folder changed and the index brought up to date by workers, over and over, each time with one kill at a
 * random moment. Throws what starting Redis, PostgreSQL and a run that nobody kills throws; `signal` ends it after the kill at hand.
 */
export async function benchIndexingKills(
  { documents, kills, seed }: { documents: string; kills: number; seed: number },
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<IndexingKillsReport> {
  const random = seededRandom(seed);
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-indexing-'));
  const docs = path.join(folder, 'docs');
  const out = path.join(folder, 'killed');
  const [server, redis] = await Promise.all([startPostgres(), startRedis()]);
  const environment = { ...process.env, PRAGAURA_BACKEND: server.backend, REDIS_URL: redis.url };
  const begin = (...args: string[]) =>
    spawn(process.execPath, [builtFile('main.js'), ...args, '--threads', '1'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment,
    });
  const index = () => begin('index', docs, '--out', out, '--workers');
  const work = () => begin('index-worker', '--lock', `${LOCK_S}`);
  const workers: ChildProcess[] = [];
  try {
    await cp(documents, docs, { recursive: true });
    const wanted: { state: string; hash: string }[] = [];
    const version = await versionsOf(docs);
    for (const one of [0, 1]) {
      await version(one);
      const dir = path.join(folder, `alone-${one}`);
      const { hash } = await indexDocuments([docs], { out: dir });
      wanted.push({ state: await stateOf(dir), hash });
    }
    for (let i = 0; i < WORKERS; i += 1) workers.push(work());
    await version(0);
    const { counts } = await ended(index(), out);
    await version(1);
    const began = performance.now();
    await ended(index(), out);
    const undisturbedMs = performance.now() - began;
    const report: IndexingKillsReport = {
      schema: 'pragaura.bench-failover-indexing/1',
      documents: counts.documents,
      passages: counts.passages,
      workers: WORKERS,
      undisturbedMs,
      killed: { coordinator: 0, worker: 0 },
      seen: { before: 0, after: 0 },
      torn: [],
      otherwise: [],
    };
    for (let kill = 1; kill <= kills && !signal.aborted; kill += 1) {
      const [old, now] = kill % 2 === 1 ? [wanted[1]!, wanted[0]!] : [wanted[0]!, wanted[1]!];
      await version((kill + 1) % 2);
      let coordinator = index();
      await sleep(random() * undisturbedMs);
      const isWorker = random() < 0.5;
      const place = Math.floor(random() * WORKERS);
      await killed(isWorker ? workers[place]! : coordinator);
      const seen = await visible('killed', server.backend);
      if (seen === old.state) report.seen.before += 1;
      else if (seen === now.state) report.seen.after += 1;
      else report.torn.push(`kill ${kill}: ${seen}`);
      report.killed[isWorker ? 'worker' : 'coordinator'] += 1;
      if (isWorker) workers[place] = work();
      else coordinator = index();
      const { hash } = await ended(coordinator, out);
      const last = await visible('killed', server.backend);
      if (last !== now.state || hash !== now.hash) report.otherwise.push(`kill ${kill}: ${hash}, ${last}`);
      say(
        `kill ${kill} of ${kills}, of a ${isWorker ? 'worker' : 'coordinator'}: ${report.seen.before} before, ${report.seen.after} after, ${report.torn.length} torn, ${report.otherwise.length} otherwise in the end`,
      );
    }
    return report;
  } finally {
    await Promise.all(workers.map(killed));
    await server.stop();
    await redis.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes every text of a folder as it was (0), or revised (1). */
async function versionsOf(docs: string): Promise<(version: number) => Promise<void>> {
  const files = (await readdir(docs, { recursive: true })).filter((file) => /\.(?:md|txt)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(docs, file), 'utf8')));
  return async (version) => {
    for (const [i, file] of files.entries()) {
      await writeFile(path.join(docs, file), `${texts[i]}${version === 0 ? '' : `\n\nRevision ${i}.\n`}`);
    }
  };
}

/** The manifest of the index, once the process has made it. Throws BACKEND_UNAVAILABLE where it has not. */
async function ended(child: ChildProcess, out: string) {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) {
    throw new PragauraError('BACKEND_UNAVAILABLE', `A run that nobody killed ended otherwise: ${said}`, {
      hint: 'See what it said.',
    });
  }
  const [, generation] = (await readFile(path.join(out, 'CURRENT'), 'utf8')).trim().split(' ');
  return JSON.parse(await readFile(path.join(out, generation!, 'manifest.json'), 'utf8')) as {
    hash: string;
    counts: { documents: number; passages: number };
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export function isSame({ torn, otherwise }: IndexingKillsReport): boolean {
  return torn.length + otherwise.length === 0;
}

export function renderIndexingKills(report: IndexingKillsReport): string {
  const { documents, passages, workers, undisturbedMs, killed: gone, seen, torn, otherwise } = report;
  const kills = gone.coordinator + gone.worker;
  const most = (count: number) => `at most ${(100 * upperShare(count, kills)).toFixed(1)} %, 95 %, one-sided`;
  return [
    `${documents} documents in ${passages} passages, all of them changed, indexed by ${workers} workers over PostgreSQL; undisturbed ${(undisturbedMs / 1000).toFixed(1)} s`,
    `killed at a random moment: who puts documents on the queue ${gone.coordinator} times, a worker ${gone.worker} times`,
    `the generation before was the index ${seen.before} times, the new one ${seen.after} times, anything else ${torn.length} times (${most(torn.length)})`,
    `in the end other ids, counts or bytes than one process makes: ${otherwise.length} of ${kills} (${most(otherwise.length)})`,
    ...[...torn, ...otherwise].slice(0, 20),
  ].join('\n\n');
}
