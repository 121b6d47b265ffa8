/** How a figure grows with the size of an index, from a handful of sizes. */
import { PragauraError } from '../../common/index.ts';

export interface Point {
  x: number;
  y: number;
}

/** y = factor * x^exponent (`power`), or y = constant + factor * x (`line`, exponent 1). */
export interface Fit {
  kind: 'power' | 'line';
  constant: number;
  factor: number;
  exponent: number;
  points: number;
  /** Largest difference between a point and the fit, as a share of the point. */
  residual: number;
}

/** Least squares of log y over log x. Throws USAGE for fewer than two sizes, or figures that are not above 0. */
export function powerLaw(points: readonly Point[]): Fit {
  if (points.some(({ x, y }) => !(x > 0 && y > 0))) throw tooLittle();
  const { constant, slope } = leastSquares(
    points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y), weight: 1 })),
  );
  return withResidual(points, { kind: 'power', constant: 0, factor: Math.exp(constant), exponent: slope });
}

/**
 * Least squares in shares of each figure, so that the largest size does not decide alone. Throws USAGE for fewer than two sizes,
 * or figures that are not above 0.
 */
export function line(points: readonly Point[]): Fit {
  if (points.some(({ y }) => !(y > 0))) throw tooLittle();
  const { constant, slope } = leastSquares(points.map(({ x, y }) => ({ x, y, weight: 1 / y ** 2 })));
  return withResidual(points, { kind: 'line', constant, factor: slope, exponent: 1 });
}

export function valueAt({ constant, factor, exponent }: Omit<Fit, 'residual' | 'points'>, x: number): number {
  return constant + factor * x ** exponent;
}

/** What the two largest sizes alone would say at `x`, by a fit of the same kind: how much hangs on the smaller ones. */
export function byLastTwo(kind: Fit['kind'], points: readonly Point[], x: number): number {
  const last = [...points].sort((a, b) => a.x - b.x).slice(-2);
  return valueAt(kind === 'power' ? powerLaw(last) : line(last), x);
}

function leastSquares(points: readonly (Point & { weight: number })[]): { constant: number; slope: number } {
  let [total, sumX, sumY] = [0, 0, 0];
  for (const { x, y, weight } of points) {
    total += weight;
    sumX += weight * x;
    sumY += weight * y;
  }
  const [meanX, meanY] = [sumX / total, sumY / total];
  let [across, along] = [0, 0];
  for (const { x, y, weight } of points) {
    across += weight * (x - meanX) ** 2;
    along += weight * (x - meanX) * (y - meanY);
  }
  if (!(across > 0)) throw tooLittle();
  const slope = along / across;
  return { constant: meanY - slope * meanX, slope };
}

function withResidual(points: readonly Point[], fit: Omit<Fit, 'residual' | 'points'>): Fit {
  const residual = Math.max(...points.map(({ x, y }) => Math.abs(valueAt(fit, x) - y) / y));
  return { ...fit, points: points.length, residual };
}

function tooLittle(): PragauraError {
  return new PragauraError('USAGE', 'Growth needs figures above 0 at two sizes or more.', {
    hint: 'Name more sizes, such as --sizes 1e4,1e5.',
  });
}
