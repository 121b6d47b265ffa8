/** How sure a share is, from few and fractional votes: the lower bound of a Beta distribution. */
import { logGamma } from './log-gamma.ts';

const TINY = 1e-300;

/** Continued fraction of the incomplete beta function, by the modified method of Lentz (DLMF 8.17.22). */
function fraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    const step = d * c;
    value *= step;
    if (Math.abs(step - 1) < 1e-14) break;
  }
  return value;
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/**
 * Regularised incomplete beta function I_x(a, b), the probability that a Beta(a, b) variable is at most x.
 * `x` in [0, 1], `a` and `b` positive.
 */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(x, a, b)) / a
    : 1 - (front * fraction(1 - x, b, a)) / b;
}

/**
 * The level at which `votes` of one opinion (at least 1), none against, have a `lowerBound` above `bar` and one fewer has
 * not: that of half a vote less, so that they stay above it while they lose no more weight than that. In (0, 1) for a bar
 * in (0, 1).
 */
export function levelFor(votes: number, bar: number): number {
  return 1 - betaCdf(bar, votes, 0.5);
}

/**
 * One-sided lower bound of a share after `hits` for and `misses` against, both >= 0 and possibly fractional: the
 * 1 - `level` quantile of Beta(hits + 1/2, misses + 1/2), Jeffreys' prior. In [0, 1); 0 without hits.
 *
 * Not Wilson's bound: one-sided and near one, where the gates lie, Wilson's promises less than it could and so costs
 * questions (Cai, "One-sided confidence intervals in discrete distributions", J. Statist. Plann. Inference 131,
 * 2005; the test beside this file has the numbers).
 */
export function lowerBound(hits: number, misses: number, level: number): number {
  if (hits <= 0) return 0;
  const [a, b, share] = [hits + 0.5, misses + 0.5, 1 - level];
  let [low, high] = [0, 1];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (betaCdf(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return low;
}
