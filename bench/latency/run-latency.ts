import path from 'node:path';
import { checkFolder, concurrently, drawnOf, writeParts } from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import { openRouter, type Query, type Router } from '../../router/index.ts';
import { openScorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { machineLine } from '../measure/machine.ts';
import type { SampleOptions } from '../measure/sample-options.ts';
import { figuresOf } from './figures.ts';
import { measureRate } from './measure-rate.ts';
import { type LatencyReport, renderLatency, type Sweep } from './render.ts';
import { ARRIVALS } from './schedule.ts';

export interface LatencyOptions extends SampleOptions {
  /** Queries taken up at a time at most, as `route --window`. */
  window: number;
  /** How long each rate is kept up. */
  seconds: number;
  /** Queries a second to try instead of shares of the capacity; all of them are run. */
  rates: readonly number[] | undefined;
  threads: number | undefined;
}

/** Fewer arrivals than this say nothing about a p95. */
const LEAST_ARRIVALS = 60;
const SEED = 1;

/** Latency in an open loop, as text; as `latency.json` with the histograms and as `latency.svg` in `out`. */
export async function benchLatency(options: LatencyOptions, say: (line: string) => void): Promise<string> {
  await checkFolder(options.out);
  const dataset = await loadDataset(options.set, options.data, { titles: options.titles });
  const scorers = await openScorers({
    announce: say,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  });
  try {
    const index = await indexOf(dataset, options.cache, scorers, say);
    const queries = sample(dataset.queries, options.n, seededRandom(SEED)).map(({ id, query }) => ({
      id,
      query,
    }));
    const router = await openRouter({ index, scorers });
    const capacity = await capacityOf(router, queries, options.window);
    say(`${capacity.toFixed(2)} queries/s with the window of ${options.window} always full`);
    const sweeps: LatencyReport['sweeps'] = [];
    for (const arrivals of ARRIVALS) {
      const sweep = await sweepOf(router, queries, arrivals, capacity, options, say);
      sweeps.push({ arrivals, sweep });
    }
    const report: LatencyReport = {
      schema: 'pragaura.bench-latency/1',
      machine: machineLine(),
      set: options.set,
      about: `${dataset.about}; ${dataset.documents.length} documents`,
      window: options.window,
      threads: options.threads,
      capacity,
      responseFactor: RESPONSE_FACTOR,
      sweeps,
    };
    const drawn = await drawnOf(figuresOf(report));
    const parts = [
      { name: 'latency.json', text: `${JSON.stringify(report)}\n` },
      ...drawn.map(({ name, svg }) => ({ name: `${name}.svg`, text: svg })),
    ];
    await writeParts(options.out, parts);
    const written = parts.map(({ name }) => path.join(options.out, name)).join(', ');
    return `${renderLatency(report)}\nwritten: ${written}`;
  } finally {
    await scorers.close();
  }
}

/** The first half of the run warms everything up and does not count. */
export async function capacityOf(
  router: Pick<Router, 'route'>,
  queries: readonly Query[],
  window: number,
): Promise<number> {
  const half = Math.ceil(queries.length / 2);
  const route = (query: Query) => router.route(query).then(() => {});
  await concurrently(queries.slice(0, half), window, route);
  const rest = queries.length > half ? queries.slice(half) : queries;
  const start = performance.now();
  await concurrently(rest, window, route);
  return (1_000 * rest.length) / (performance.now() - start);
}

export async function sweepOf(
  router: Pick<Router, 'route'>,
  queries: readonly Query[],
  arrivals: (typeof ARRIVALS)[number],
  capacity: number,
  { rates, seconds, window }: Pick<LatencyOptions, 'rates' | 'seconds' | 'window'>,
  say: (line: string) => void,
): Promise<Sweep> {
  const random = seededRandom(SEED);
  let best = Number.POSITIVE_INFINITY;
  const done: Sweep['rates'] = [];
  for (const rate of rates ?? SHARES.map((share) => share * capacity)) {
    const n = Math.max(LEAST_ARRIVALS, Math.ceil(rate * seconds));
    say(`${arrivals} arrivals at ${rate.toFixed(2)} queries/s, ${n} of them …`);
    const report = await measureRate(router, queries, { arrivals, rate, n, window, random });
    const tried = { failed: report.failed, responseP95: report.all.response.p95 };
    best = Math.min(best, tried.responseP95 ?? best);
    const held = isHeld(tried, best);
    done.push({ ...report, held });
    if (!held && rates === undefined) break;
  }
  const firstLost = done.findIndex(({ held }) => !held);
  const last = firstLost === -1 ? done.at(-1) : done[firstLost - 1];
  return { rates: done, knee: last?.rate ?? null };
}

/** Shares of the throughput with the window always full at which an open loop is tried, until one is not held. */
const SHARES = [0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2] as const;

/** Past the knee: 95 % of the responses are no longer within this many times what they were at best. */
const RESPONSE_FACTOR = 3;

interface Tried {
  failed: number;
  /** Milliseconds; null when nothing was recorded. */
  responseP95: number | null;
}

/**
 * Whether a rate is held, beside the best response p95 of those tried before: that one, because a disturbance during the
 * lowest rate would let every other pass. A rate at which a query failed is not held.
 */
export function isHeld({ failed, responseP95 }: Tried, best: number): boolean {
  return failed === 0 && responseP95 !== null && responseP95 <= RESPONSE_FACTOR * best;
}
