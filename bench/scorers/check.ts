import { isDeepStrictEqual } from 'node:util';
import { concurrently } from '../../calibration/index.ts';
import { seededRandom, shuffled } from '../../common/index.ts';
import type { Job, Scorers } from '../../scorers/index.ts';
import { type Item, scored } from './workload.ts';

/** A way of scoring the same items: how many a call, how many calls at a time. */
interface Way {
  name: string;
  perCall: number;
  window: number;
}

const WAYS: readonly Way[] = [
  { name: 'one call an item, one at a time', perCall: 1, window: 1 },
  { name: 'one call an item, 16 at a time', perCall: 1, window: 16 },
  { name: 'seven a call, 3 at a time', perCall: 7, window: 3 },
];

export interface CheckRow {
  job: Job;
  way: string;
  threads: number;
  scores: number;
  /** Results that are not the same to the last bit. */
  different: number;
}

/**
 * Scores the same items in other company: all in one call against few and many calls, in another order, on another
 * number of threads. Counts results that differ in any bit from those of the one call.
 */
export async function checkDeterminism(
  pools: readonly Scorers[],
  workload: readonly { job: Job; items: readonly Item[] }[],
  say: (line: string) => void,
): Promise<CheckRow[]> {
  const rows: CheckRow[] = [];
  for (const { job, items } of workload) {
    const expected = await scored(pools[0]!, job, items);
    for (const pool of pools) {
      const ways =
        pool === pools[0] ? WAYS : [...WAYS, { name: 'one call', perCall: items.length, window: 1 }];
      for (const way of ways) {
        const found = await inCompany(pool, job, items, way);
        const different = expected.filter((result, i) => !isDeepStrictEqual(result, found[i])).length;
        rows.push({ job, way: way.name, threads: pool.info.threads, scores: items.length, different });
        say(`${job}, ${way.name}, ${pool.info.threads} threads: ${different} of ${items.length} differ`);
      }
    }
  }
  return rows;
}

async function inCompany(
  pool: Scorers,
  job: Job,
  items: readonly Item[],
  { perCall, window }: Way,
): Promise<unknown[]> {
  const order = shuffled(
    items.map((_, place) => place),
    seededRandom(7),
  );
  const calls: number[][] = [];
  for (let at = 0; at < order.length; at += perCall) calls.push(order.slice(at, at + perCall));
  const found: unknown[] = new Array(items.length);
  await concurrently(calls, window, async (places) => {
    const results = await scored(
      pool,
      job,
      places.map((place) => items[place]!),
    );
    for (const [i, place] of places.entries()) found[place] = results[i];
  });
  return found;
}
