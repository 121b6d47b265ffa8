import type { Fraction } from '../levels/level.ts';
import { asNumber } from '../levels/level.ts';

/**
 * P(Binomial(n, p) <= x), relative error below 1e-11 for n up to 1e5 (tested against sums of whole numbers). Terms are
 * added from x downwards (or upwards, for the other tail) from a point probability in Loader's saddle-point form
 * (Loader 2000, "Fast and accurate computation of binomial probabilities"), where nothing large cancels.
 */
export function binomialCdf(x: number, n: number, p: number): number {
  if (x < 0) return 0;
  if (x >= n) return 1;
  if (x <= n * p) return lowerTail(x, n, p);
  return 1 - lowerTail(n - x - 1, n, 1 - p);
}

/**
 * Does P(Binomial(n, level) <= x) <= delta hold? Decided in floats where they can tell, in whole numbers where the two
 * sides are too close for that, so that the answer is exact.
 */
export function tailWithin(x: number, n: number, level: Fraction, delta: Fraction): boolean {
  const tail = binomialCdf(x, n, asNumber(level));
  const bound = asNumber(delta);
  if (Math.abs(tail - bound) > 1e-9 * bound) return tail < bound;
  const { numerator, denominator } = exactTail(x, n, level);
  return numerator * delta.denominator <= delta.numerator * denominator;
}

/** P(Binomial(n, level) <= x) as whole numbers. Costs x multiplications of numbers as long as n. */
export function exactTail(x: number, n: number, { numerator, denominator }: Fraction): Fraction {
  const rest = denominator - numerator;
  const last = Math.min(x, n);
  // The term of i successes is choose(n, i) * numerator^i * rest^(n - i), over denominator^n.
  let term = rest ** BigInt(n);
  let sum = 0n;
  for (let i = 0; i <= last; i++) {
    sum += term;
    term = (term * BigInt(n - i) * numerator) / (BigInt(i + 1) * rest);
  }
  return { numerator: sum, denominator: denominator ** BigInt(n) };
}

/** The least n for which n answers without an error are evidence enough: (1 - level)^n <= delta. */
export function floorWithoutErrors(level: Fraction, delta: Fraction): number {
  const guess = Math.ceil(Math.log(asNumber(delta)) / Math.log1p(-asNumber(level)));
  let n = Math.max(1, guess - 1);
  while (!tailWithin(0, n, level, delta)) n++;
  return n;
}

function lowerTail(x: number, n: number, p: number): number {
  let term = 1;
  let sum = 1;
  for (let i = x; i > 0 && term > sum * 1e-17; i--) {
    term *= (i / (n - i + 1)) * ((1 - p) / p);
    sum += term;
  }
  return Math.min(1, sum * pointProbability(x, n, p));
}

function pointProbability(x: number, n: number, p: number): number {
  if (x === 0) return Math.exp(n * Math.log1p(-p));
  if (x === n) return p ** n;
  const exponent =
    stirlingError(n) -
    stirlingError(x) -
    stirlingError(n - x) -
    deviance(x, n * p) -
    deviance(n - x, n * (1 - p));
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * x * (n - x)));
}

/** log(n!) less Stirling's formula. Small n by summing logarithms, the rest by the asymptotic series. */
function stirlingError(n: number): number {
  if (n < 16) {
    let factorial = 1;
    for (let i = 2; i <= n; i++) factorial *= i;
    return Math.log(factorial) - (n + 0.5) * Math.log(n) + n - 0.5 * Math.log(2 * Math.PI);
  }
  const s = 1 / (n * n);
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / n;
}

/** x * log(x / mean) + mean - x, without cancellation near x = mean. */
function deviance(x: number, mean: number): number {
  if (Math.abs(x - mean) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
  const v = (x - mean) / (x + mean);
  let sum = (x - mean) * v;
  let power = 2 * x * v;
  for (let j = 1; ; j++) {
    power *= v * v;
    const next = sum + power / (2 * j + 1);
    if (next === sum) return sum;
    sum = next;
  }
}
