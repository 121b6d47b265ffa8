import { asNumber, type Fraction, type Level } from '../levels/level.ts';
import { answeredBy } from './answered.ts';
import { binomialCdf, tailWithin } from './binomial.ts';
import { ascending } from './conformal.ts';
import type { Scored } from './types.ts';

/** Thresholds of a grid; a finer one stops sooner by chance, a coarser one gives coverage away. */
const GRID = 40;

/**
 * What the tune split says about testing one pool: `grid` from strict to lax, beginning where the first test is most
 * likely to pass, and that likelihood (`power`, in [0, 1]). Nothing here looks at the calibration examples, save how
 * many they are.
 */
export interface Plan {
  grid: number[];
  power: number;
}

/**
 * A fixed sequence that begins too strict answers too few for any pass and ends at once; one that begins too lax fails
 * on errors. One beginning is better than several that share delta: neighbouring tests nearly repeat each other. (Risk
 * .3 * U, level .05, delta .1, 1,000 examples: a threshold in 44 % of calibrations from here, in 43 % from three
 * beginnings with their shares handed on, in 9 % when delta is divided over the grid, in 1 % from the strictest.)
 * `scale`: calibration examples for each tune example.
 */
export function planned(tune: readonly Scored[], scale: number, level: Level, delta: Fraction): Plan {
  const grid = quantiles(tune);
  const answered = answeredBy(tune);
  let [start, power] = [0, 0];
  for (const [place, tau] of grid.entries()) {
    const { answered: n, wrong } = answered.at(tau);
    const rate = (wrong + 0.5) / (n + 1);
    const likely = powerOf(Math.round(n * scale), rate, level, delta);
    if (likely > power) [start, power] = [place, likely];
  }
  return { grid: grid.slice(start), power };
}

/** Up to GRID distinct uncertainties of the examples with open gates, ascending, the largest among them. */
export function quantiles(items: readonly Scored[]): number[] {
  const sorted = ascending(items.flatMap(({ U }) => U ?? []));
  const taken = Array.from(
    { length: GRID },
    (_, i) => sorted[Math.ceil(((i + 1) * sorted.length) / GRID) - 1],
  );
  return [...new Set(taken.filter((tau) => tau !== undefined))];
}

/** Chance that n answers with this rate of errors pass the test. */
export function powerOf(n: number, rate: number, level: Level, delta: Fraction): number {
  return binomialCdf(mostErrors(n, level, delta), n, rate);
}

/** The most errors among n answers with which the test passes; -1: none is few enough. */
export function mostErrors(n: number, level: Level, delta: Fraction): number {
  let [low, high] = [-1, Math.floor(n * asNumber(level))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tailWithin(middle, n, level, delta)) low = middle;
    else high = middle - 1;
  }
  return low;
}
