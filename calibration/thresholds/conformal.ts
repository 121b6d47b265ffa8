import { PragauraError } from '../../errors.ts';
import type { Level } from '../levels/level.ts';
import type { CoverageThreshold } from './types.ts';

/**
 * Split conformal: tau is the k-th smallest of n scores, k = ceil((n + 1) * level) in whole numbers. A new query that
 * is exchangeable with the examples is then answered (score <= tau) with probability at least `level`, and at most
 * `level` + 1 / (n + 1) when no scores are tied (Vovk et al. 2005; Lei et al. 2018). That is an average over
 * calibrations: the coverage of one calibration follows Beta(k, n + 1 - k), see `coverageSpread`.
 *
 * A score of Infinity is never answered. When the k-th smallest is Infinity, closed gates keep the level out of
 * reach: at most open / n are answered. Throws INTERNAL for NaN and -Infinity.
 */
export function conformalThreshold(scores: readonly number[], level: Level): CoverageThreshold {
  const sorted = ascending(scores);
  const n = sorted.length;
  const open = countUpTo(sorted, Number.MAX_VALUE);
  const k = rank(n, level);
  if (k > n) return { n, k, tau: null, why: 'too-few', needed: leastExamples(level) - n, ties: 0, open };
  const tau = sorted[k - 1]!;
  if (tau === Infinity) return { n, k, tau: null, why: 'gates', needed: null, ties: 0, open };
  const ties = sorted.filter((score) => score === tau).length - 1;
  return { n, k, tau, why: 'reached', needed: 0, ties, open };
}

/** ceil((n + 1) * level), exactly. */
export function rank(n: number, { numerator, denominator }: Level): number {
  return Number((BigInt(n + 1) * numerator + denominator - 1n) / denominator);
}

/** The smallest n whose rank is within it: ceil(level / (1 - level)). */
export function leastExamples({ numerator, denominator }: Level): number {
  const rest = denominator - numerator;
  return Number((numerator + rest - 1n) / rest);
}

/** Sorted copy. Throws INTERNAL for a score that has no place in an order of uncertainties. */
export function ascending(scores: readonly number[]): number[] {
  for (const score of scores) {
    if (Number.isNaN(score) || score === -Infinity) {
      throw new PragauraError('INTERNAL', `A score to calibrate on is ${score}, which is no uncertainty.`);
    }
  }
  return [...scores].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** How many of the sorted values are at most `bound`. */
export function countUpTo(sorted: readonly number[], bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
