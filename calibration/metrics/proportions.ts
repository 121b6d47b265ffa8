import { binomialCdf } from '../thresholds/binomial.ts';
import type { Interval } from './intervals.ts';

/**
 * Exact interval for a proportion of which `k` of `n` independent draws were seen (Clopper and Pearson 1934): the
 * shares under which neither so many nor so few would be rarer than (1 - level) / 2. Null for n = 0.
 * Throws RangeError for counts that are none, or a level outside (0, 1).
 */
export function clopperPearson(k: number, n: number, level = 0.95): Interval | null {
  if (!Number.isSafeInteger(k) || !Number.isSafeInteger(n) || k < 0 || k > n)
    throw new RangeError(`${k} of ${n} is no proportion`);
  if (!(level > 0 && level < 1)) throw new RangeError(`level must lie in (0, 1), not ${level}`);
  if (n === 0) return null;
  const tail = (1 - level) / 2;
  // By symmetry the lower limit of k is one less the upper limit of n - k.
  return { low: 1 - upperLimit(n - k, n, tail), high: upperLimit(k, n, tail) };
}

/** `k` of `of` with its interval of 95 %, as `clopperPearson` has it; null where `of` is 0. */
export function proportionOf(k: number, of: number) {
  const interval = clopperPearson(k, of);
  return {
    k,
    of,
    value: of === 0 ? null : k / of,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

/** The share p at which P(Binomial(n, p) <= k) = tail; 1 for k = n. */
function upperLimit(k: number, n: number, tail: number): number {
  if (k === n) return 1;
  let [low, high] = [k / n, 1];
  // Each step halves the bracket: past 60 there is nothing left between two doubles.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (binomialCdf(k, n, middle) > tail) low = middle;
    else high = middle;
  }
  return high;
}
