/** The queue around the real models, beside `route` on the same queries. */
import { seededRandom } from '../../common/index.ts';
import type { Query } from '../../router/index.ts';
import { isExact, judge } from '../../workers/faults/index.ts';
import { startTimes } from '../latency/schedule.ts';
import type { LatencySummary } from '../measure/latencies.ts';
import type { LoopDelay } from '../measure/loop-delay.ts';
import { askProbe, endAll, startWorkers, terminated } from './fleet.ts';
import { askAll } from './overhead.ts';
import { Piped } from './piped.ts';

interface Setting {
  index: string;
  /** Where Redis is. */
  redis: string;
  queries: readonly Query[];
  say: (line: string) => void;
}

export interface ThroughputRun {
  workers: number;
  threads: number;
  concurrency: number;
  perSecond: number;
  /** Of `route` alone with as many threads in all. */
  share: number;
  /** The worst of the workers' main threads. */
  loop: LoopDelay;
  exact: boolean;
}

const CORES = 2;
const WARM_UP = 8;
const SHAPES = [
  { workers: 1, threads: CORES, concurrency: 1 },
  { workers: 1, threads: CORES, concurrency: 8 },
  { workers: 1, threads: CORES, concurrency: 16 },
  { workers: CORES, threads: 1, concurrency: 4 },
  { workers: CORES, threads: 1, concurrency: 8 },
];

/** Everything at once into both; `route` first and again at the end, so that a drift of the machine shows. */
export async function measureThroughput({ index, redis, queries, say }: Setting) {
  const before = await routeAll(index, queries);
  say(`route: ${before.perSecond.toFixed(2)} queries/s`);
  const runs: ThroughputRun[] = [];
  for (const shape of SHAPES) {
    const queue = `throughput-${shape.workers}-${shape.concurrency}`;
    const workers = await startWorkers({ index, redis, queue, ...shape });
    try {
      const program = submitting(redis, queue);
      const { lines, perSecond } = await all(program, queries, () =>
        Promise.all(workers.map(askProbe)).then(() => {}),
      );
      const loops = (await Promise.all(workers.map(askProbe))).map(({ loop }) => loop);
      const loop = loops.reduce((worst, one) => (one.p99 > worst.p99 ? one : worst));
      const exact = isExact(judge(before.expected, lines));
      runs.push({ ...shape, perSecond, share: perSecond / before.perSecond, loop, exact });
      say(`${shape.workers} workers, concurrency ${shape.concurrency}: ${perSecond.toFixed(2)} queries/s`);
    } finally {
      await endAll(workers);
    }
  }
  const after = await routeAll(index, queries);
  // Against the mean of both.
  const alone = (before.perSecond + after.perSecond) / 2;
  return {
    queries: queries.length,
    routeBefore: before.perSecond,
    routeAfter: after.perSecond,
    runs: runs.map((run) => ({ ...run, share: run.perSecond / alone })),
  };
}

async function routeAll(index: string, queries: readonly Query[]) {
  const program = routing(index);
  const { lines, perSecond } = await all(program, queries, async () => {});
  return { perSecond, expected: new Map(queries.map(({ id }, place) => [id, lines[place]!])) };
}

const routing = (index: string) =>
  new Piped(['route', '--index', index, '--threads', `${CORES}`, '--window', '16', '--unordered']);

const submitting = (redis: string, queue: string) =>
  new Piped(['submit', '--wait', '--redis', redis, '--queue', queue, '--unordered', '--window', '256']);

/** Queries a second with all of them handed over at once, after a few that warm everything up; lines by place. */
async function all(program: Piped, queries: readonly Query[], warm: () => Promise<void>) {
  await warmUp(program, queries);
  await warm();
  const start = performance.now();
  const lines = await Promise.all(queries.map((query) => program.ask(query)));
  const perSecond = (1_000 * queries.length) / (performance.now() - start);
  await program.close();
  return { lines, perSecond };
}

async function warmUp(program: Piped, queries: readonly Query[]): Promise<void> {
  const some = queries.slice(0, WARM_UP);
  await Promise.all(some.map(({ query }, place) => program.ask({ id: `warm-up-${place}`, query })));
}

export interface OverheadReport {
  queries: number;
  /** Queries a second: half of what `route` does. */
  rate: number;
  route: Side;
  queue: Side & { loop: LoopDelay };
  /** Of what is around the router: the queue's less that of route's pipes, at the median. */
  overheadMs: number;
  /** Of the response of the queue, at the median. */
  overheadShare: number;
  /** From SIGTERM, under this load, to the end of the worker. */
  sigterm: { ms: number; how: string };
  exact: boolean;
}

interface Side {
  response: LatencySummary;
  /** Response less the time in the router. */
  around: LatencySummary;
}

/** The same queries at the same times, at half of what `route` can do. */
export async function measureOverhead({ index, redis, queries, say }: Setting): Promise<OverheadReport> {
  const alone = routing(index);
  await warmUp(alone, queries);
  const start = performance.now();
  const lines = await Promise.all(queries.map((query) => alone.ask(query)));
  const rate = (0.5 * 1_000 * queries.length) / (performance.now() - start);
  say(`half load: ${rate.toFixed(2)} queries/s`);
  const plan = startTimes('constant', rate, queries.length, seededRandom(1));
  const route = await askAll(alone, again(queries, 'route'), plan);
  await alone.close();

  const queue = 'overhead';
  const shape = { workers: 1, threads: CORES, concurrency: 16 };
  const [worker] = await startWorkers({ index, redis, queue, ...shape });
  try {
    const program = submitting(redis, queue);
    await warmUp(program, queries);
    await askProbe(worker!);
    const asked = again(queries, 'queue');
    const queued = await askAll(program, asked, plan);
    const { loop } = await askProbe(worker!);
    await program.close();
    const expected = new Map(
      asked.map(({ id }, place) => [id, JSON.stringify({ ...JSON.parse(lines[place]!), id })]),
    );
    const sigterm = await stopUnderLoad(worker!, redis, queue, queries);
    const overheadMs = queued.around.p50! - route.around.p50!;
    return {
      queries: queries.length,
      rate,
      route: { response: route.response, around: route.around },
      queue: { response: queued.response, around: queued.around, loop },
      overheadMs,
      overheadShare: overheadMs / queued.response.p50!,
      sigterm,
      exact: isExact(judge(expected, queued.lines)),
    };
  } finally {
    await endAll([worker!]);
  }
}

/** Ids that have not been asked: what was decided once is not decided again. */
function again(queries: readonly Query[], name: string): Query[] {
  return queries.map(({ query }, place) => ({ id: `${name}-${place}`, query }));
}

const IN_HAND = 8;

async function stopUnderLoad(
  worker: Parameters<typeof terminated>[0],
  redis: string,
  queue: string,
  queries: readonly Query[],
) {
  const program = submitting(redis, queue);
  await warmUp(program, again(queries, 'before'));
  // Taken up or about to be; what is handed back waits for a worker that never comes.
  const asked = again(queries.slice(0, IN_HAND), 'stopped').map((query) =>
    program.ask(query).catch(() => ''),
  );
  await Promise.race(asked);
  const stopped = await terminated(worker);
  program.kill();
  return stopped;
}
