/** `pragaura bench access`: what somebody is told who may not read all, beside what an index without the rest tells him. */
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PragauraError, seededRandom, withoutClocks } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { fileOf } from '../../governance/index.ts';
import { indexDocuments, openRouter } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { type RedisServer, startRedis } from '../../workers/testing/redis.ts';
import { type Layout, table, upperShare } from '../measure/table.ts';
import { Memo } from '../parity/memo.ts';
import { PROBES, type Probe, probesOf } from './probes.ts';
import { openQueue } from './queue.ts';

export interface AccessOptions {
  /** Folder of documents; each file is hidden or not. */
  documents: string;
  /** A question a line. */
  questions: string;
  cases: number;
  /** Of one set of hidden documents. */
  each: number;
  seed: number;
  /** Ask by way of a queue too, on a redis-server of its own. */
  queue: boolean;
}

export interface AccessReport {
  schema: 'pragaura.bench-access/1';
  cases: number;
  /** Sets of hidden documents. */
  views: number;
  /** Cases in which the two decisions differ in anything but clocks; with what was asked. */
  differences: { kind: Probe['kind']; query: string; hidden: string[] }[];
  /** Clopper-Pearson, one-sided 95 %: the share of cases that may differ at most. */
  atMost: number;
  byKind: { kind: Probe['kind']; cases: number; answered: number }[];
  /** Cases that went by way of a queue too, and of them what a worker decided otherwise; jobs that were changed on the way, and decided. */
  queue: { cases: number; differences: number; deceptions: number; deceived: number } | null;
  /** Milliseconds: the view opened, the whole index opened; medians. */
  ms: { view: number; whole: number };
}

/** Share of the files that are hidden, drawn anew for each view. */
const HIDDEN = { least: 0.1, most: 0.9 };

/** Throws what indexing and routing throw, and ABORTED. */
export async function benchAccess(
  { documents, questions, cases, each, seed, queue: byQueue }: AccessOptions,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<AccessReport> {
  const random = seededRandom(seed);
  const ordinary = (await readFile(questions, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { query: string }).query);
  const pool = await openScorers({ announce: say });
  const memo = new Memo(pool);
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-access-'));
  const whole = path.join(folder, 'whole');
  const report = { differences: [] as AccessReport['differences'], done: 0, views: 0 };
  const counts = new Map(PROBES.map((kind) => [kind, { cases: 0, answered: 0 }]));
  const queue = { cases: 0, differences: 0, deceptions: 0, deceived: 0 };
  const ms = { view: [] as number[], whole: [] as number[] };
  let redis: RedisServer | null = null;
  try {
    if (byQueue) redis = await startRedis();
    await indexDocuments([documents], { out: whole, scorers: pool });
    const index = await openIndex(whole);
    const all = await openRouter({ index: whole, scorers: memo.scorers });
    const files = [...new Set(index.documents.map(fileOf))].sort();
    while (report.done < cases) {
      signal.throwIfAborted();
      const share = HIDDEN.least + (HIDDEN.most - HIDDEN.least) * random();
      const hidden = new Set(files.filter(() => random() < share));
      if (hidden.size === 0 || hidden.size === files.length) continue;
      const never = await indexedWithout(hidden, { documents, folder, scorers: pool });
      const isHidden = (docId: string) =>
        hidden.has(fileOf(index.documents.find((one) => one.docId === docId)!));
      const began = performance.now();
      const seen = await openRouter({
        index: whole,
        readable: ({ docId }) => !isHidden(docId),
        scorers: memo.scorers,
      });
      const opened = performance.now();
      const alone = await openRouter({ index: never, scorers: memo.scorers });
      ms.view.push(opened - began);
      ms.whole.push(performance.now() - opened);
      const asked =
        redis &&
        (await openQueue(redis.url, folder, all, isHidden, (readable) =>
          openRouter({ index: whole, readable, scorers: memo.scorers }),
        ));
      try {
        const probes = probesOf(index, isHidden, ordinary, Math.min(each, cases - report.done), random);
        for (const { kind, ...probe } of probes) {
          const query = { id: 'probe', ...probe };
          const [ours, theirs, queued] = await memo.question(async () => [
            await seen.route(query, { signal }),
            await alone.route(query, { signal }),
            asked && (await asked.decided(query)),
          ]);
          const count = counts.get(kind)!;
          count.cases += 1;
          if (ours!.action === 'ANSWER') count.answered += 1;
          if (withoutClocks(JSON.stringify(ours)) !== withoutClocks(JSON.stringify(theirs))) {
            report.differences.push({ kind, query: query.query, hidden: [...hidden] });
          }
          if (asked !== null) {
            queue.cases += 1;
            if (withoutClocks(JSON.stringify(queued)) !== withoutClocks(JSON.stringify(theirs)))
              queue.differences += 1;
            queue.deceptions += 1;
            if (await asked.deceived(query, queue.deceptions)) queue.deceived += 1;
          }
          report.done += 1;
        }
      } finally {
        await asked?.close();
        await seen.close();
        await alone.close();
        await rm(path.dirname(never), { recursive: true, force: true });
      }
      report.views += 1;
      if (report.views % 20 === 0) say(`${report.done} of ${cases}, ${report.differences.length} differ`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new PragauraError('ABORTED', 'Interrupted.', { cause: error });
  } finally {
    await pool.close();
    await redis?.close();
    await rm(folder, { recursive: true, force: true });
  }
  const { differences, done, views } = report;
  return {
    schema: 'pragaura.bench-access/1',
    cases: done,
    views,
    differences,
    atMost: upperShare(differences.length, done),
    byKind: [...counts].map(([kind, count]) => ({ kind, ...count })),
    queue: byQueue ? queue : null,
    ms: { view: median(ms.view), whole: median(ms.whole) },
  };
}

/** An index of the files that are left, of a copy under the same names. */
async function indexedWithout(
  hidden: ReadonlySet<string>,
  { documents, folder, scorers }: { documents: string; folder: string; scorers: Scorers },
): Promise<string> {
  const own = await mkdtemp(path.join(folder, 'never-'));
  const copy = path.join(own, path.basename(documents));
  await mkdir(copy);
  await cp(documents, copy, {
    recursive: true,
    filter: (from) => !hidden.has(path.posix.join(path.basename(documents), path.relative(documents, from))),
  });
  const out = path.join(own, 'index');
  await indexDocuments([copy], { out, scorers });
  return out;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

export function renderAccess(
  { cases, views, differences, atMost, byKind, queue, ms }: AccessReport,
  layout: Layout = table,
): string {
  return [
    layout(
      ['asked by', 'cases', 'answered'],
      byKind.map((row) => [row.kind, String(row.cases), String(row.answered)]),
    ),
    '',
    `${cases} cases of ${views} views: ${differences.length} decisions differ from those of an index that never held what is hidden`,
    `(at most ${(100 * atMost).toFixed(3)} % of such cases, 95 %, one-sided)`,
    ...(queue === null
      ? []
      : [
          `by way of a queue: ${queue.differences} of ${queue.cases} differ; of ${queue.deceptions} jobs that were changed on the way ${queue.deceived} were decided`,
        ]),
    `opening a view ${ms.view.toFixed(0)} ms, the index of what is left ${ms.whole.toFixed(0)} ms`,
    ...differences.slice(0, 20).map(({ kind, query }) => `differs: ${kind}: ${query.slice(0, 200)}`),
  ].join('\n');
}
