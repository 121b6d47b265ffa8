import { PragauraError } from '../../common/index.ts';
import type { Level } from '../levels/level.ts';
import type { CoverageThreshold } from './types.ts';

/**
 * Split conformal: tau is the k-th smallest of n scores, k = ceil((n + 1) * level) in whole numbers. A new query that
 * is exchangeable with the examples is then answered (score <= tau) with probability at least `level`, and at most
 * `level` + 1 / (n + 1) when no scores are tied (Vovk et al. 2005; Lei et al. 2018). That is an average over
 * calibrations: the coverage of one calibration follows Beta(k, n + 1 - k), see `chanceOfFewer`.
 *
 * A score of Infinity is never answered. When the k-th smallest is Infinity, closed gates keep the level out of
 * reach: at most open / n are answered. Throws INTERNAL for NaN and -Infinity.
 */
export function conformalThreshold(scores: readonly number[], level: Level): CoverageThreshold {
  const sorted = ascending(scores);
  const n = sorted.length;
  const open = countUpTo(sorted, Number.MAX_VALUE);
  const k = rank(n, level);
  if (k > n)
    return {
      n,
      k,
      tau: null,
      why: 'too-few',
      needed: leastExamples(level) - n,
      ties: 0,
      open,
      documents: null,
    };
  const tau = sorted[k - 1]!;
  if (tau === Infinity)
    return { n, k, tau: null, why: 'gates', needed: null, ties: 0, open, documents: null };
  const ties = sorted.filter((score) => score === tau).length - 1;
  return { n, k, tau, why: 'reached', needed: 0, ties, open, documents: null };
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

/**
 * Chance that of `of` new queries no more than `answered` are, over the drawing of them and of the n examples that tau
 * is the k-th smallest of: Beta-binomial (`of`; k, n + 1 - k), tau being as likely at any place of all scores together.
 * With ties more are answered, so that the chance is no larger.
 */
export function chanceOfFewer({ n, k }: { n: number; k: number }, answered: number, of: number): number {
  if (answered >= of) return 1;
  // As many as k + answered of all scores lie before the next one: at least k of them are examples.
  const logFactorials = [0];
  for (let i = 1; i <= n + of; i++) logFactorials.push(logFactorials[i - 1]! + Math.log(i));
  const choose = (total: number, some: number) =>
    logFactorials[total]! - logFactorials[some]! - logFactorials[total - some]!;
  const before = k + answered;
  let sum = 0;
  for (let examples = k; examples <= Math.min(n, before); examples++) {
    sum += Math.exp(choose(n, examples) + choose(of, before - examples) - choose(n + of, before));
  }
  return Math.min(1, sum);
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
export function countUpTo(sorted: ArrayLike<number>, bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the ascending numbers lie below the bound. */
export function countBelow(sorted: ArrayLike<number>, bound: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
