/**
 * What a threshold for each act does to the order in which questions are answered, when the one number that a user
 * turns (the coverage or the risk aimed at) goes from strict to lax. An act with too few examples of its own goes with
 * its family, then with everything. Fitted on the calibrate split. Pure.
 */
import { countBelow, fitLogistic, LEAST_EXAMPLES, type Scored } from '../../calibration/index.ts';
import { type Act, PARENT_ACT } from '../../profiles/index.ts';

/** When a question of this act with this U is answered, in [0, 1]: the lower, the sooner. */
export type Order = (act: Act, U: number) => number;

/** Right and wrong answers that a curve of risk needs each. */
const LEAST_OF_EACH = 5;
/** U lies in [0, 1]: weak, but with it a slope exists even where U parts right from wrong completely. */
const RIDGE = 0.1;

/** One global tau: by U itself. */
export const byUncertainty: Order = (_, U) => U;

/**
 * By the coverage at which the act's own threshold first answers: the rank of U among the act's calibration scores,
 * linear between neighbours. All acts are answered to the same share.
 */
export function byCoverage(calibrate: readonly Scored[]): Order {
  const orders = new Map<string, (U: number) => number>();
  for (const [name, pool] of poolsOf(calibrate)) {
    const open = pool.flatMap(({ U }) => U ?? []).sort((a, b) => a - b);
    orders.set(name, (U) => {
      const below = countBelow(open, U);
      const [low, high] = [below === 0 ? 0 : open[below - 1]!, open[below] ?? 1];
      return (below + (high > low ? Math.min(1, (U - low) / (high - low)) : 0)) / (pool.length + 1);
    });
  }
  return laddered(
    orders,
    (name, pools) => (pools.get(name)?.length ?? 0) >= LEAST_EXAMPLES,
    poolsOf(calibrate),
  );
}

/**
 * By the risk at which the act's own threshold first answers: P(wrong | U) by a logistic curve for each act. All acts
 * are answered up to the same risk at the margin. A pool in which more U does not go with more errors is passed over;
 * when everything is such a pool, so are all, and the order is that of U.
 */
export function byRisk(calibrate: readonly Scored[]): Order {
  const pools = poolsOf(calibrate);
  const orders = new Map<string, (U: number) => number>();
  for (const [name, pool] of pools) {
    const labelled = pool.flatMap(({ U, wrong }) => (U === null || wrong === null ? [] : [{ U, wrong }]));
    const wrong = labelled.filter((item) => item.wrong).length;
    if (labelled.length < LEAST_EXAMPLES || wrong < LEAST_OF_EACH || labelled.length - wrong < LEAST_OF_EACH)
      continue;
    const [intercept, slope] = fitLogistic({
      rows: labelled.map(({ U }) => Float64Array.of(U)),
      right: labelled.map((item) => !item.wrong),
      ridge: RIDGE,
    });
    if (slope! < 0) orders.set(name, (U) => 1 / (1 + Math.exp(intercept! + slope! * U)));
  }
  // What goes with everything must be on the scale of the acts that do not: a risk.
  if (!orders.has(EVERYTHING)) return byUncertainty;
  return laddered(orders, (name) => orders.has(name), pools);
}

const EVERYTHING = 'everything';

/** Pools by act, by family ("family of FACT") and of everything. */
function poolsOf(items: readonly Scored[]): Map<string, Scored[]> {
  const pools = new Map<string, Scored[]>([[EVERYTHING, [...items]]]);
  for (const item of items) {
    if (item.act === null) continue;
    for (const name of [item.act, familyOf(item.act)]) {
      const pool = pools.get(name);
      if (pool === undefined) pools.set(name, [item]);
      else pool.push(item);
    }
  }
  return pools;
}

function familyOf(act: Act): string {
  return `family of ${PARENT_ACT[act] ?? act}`;
}

function laddered(
  orders: ReadonlyMap<string, (U: number) => number>,
  fits: (name: string, pools: ReadonlyMap<string, readonly Scored[]>) => boolean,
  pools: ReadonlyMap<string, readonly Scored[]>,
): Order {
  return (act, U) => {
    const rung = [act, familyOf(act)].find((name) => orders.has(name) && fits(name, pools)) ?? EVERYTHING;
    return orders.get(rung)!(U);
  };
}
