import { ACTIONS } from '../../router/index.ts';
import { fitLinear, INTERCEPT_RIDGE, type LinearDesign } from './linear.ts';
import type { Table } from './table.ts';

const K = ACTIONS.length;
const ROUNDS = 50;
/** Relative move of the variance at which it stands. */
const STEADY = 1e-2;
/** Below it intercepts of sets are all 0 to working precision. */
const LEAST_VARIANCE = 1e-4;

/** A regression with an intercept of its own for every set. */
export interface MixedFit {
  /** Of the design alone, K numbers a column: what holds for every set. */
  beta: Float64Array;
  /** Intercepts of the sets, K numbers each. */
  intercepts: Float64Array;
  /** Of an intercept of a set, for each action. */
  variance: number;
}

/**
 * log p(a | x, set) = offset + beta' x + u(set, a), up to a constant, with u normal about 0: multinomial logistic
 * regression with random intercepts, by penalised quasi-likelihood (Breslow and Clayton 1993). `setOf`: place of the set
 * of each row of the table; `variance`: of u, or where to begin when it is to be found, by expectation and maximisation
 * under Laplace's approximation: the mean square of the u that are likeliest, plus their variance given the data.
 */
export function fitMixed(
  table: Table,
  design: LinearDesign,
  setOf: Int32Array,
  { ridge, offset, variance, find }: { ridge: number; offset: Float64Array; variance: number; find: boolean },
): MixedFit {
  const sets = [...new Set(Array.from(design.train, (row) => setOf[row]!))].sort((a, b) => a - b);
  const placeOf = new Map(sets.map((set, place) => [set, place]));
  const width = design.width + sets.length;
  const rows = new Float64Array(design.train.length * width);
  for (const [i, row] of design.train.entries()) {
    rows.set(design.rows.subarray(i * design.width, (i + 1) * design.width), i * width);
    rows[i * width + design.width + placeOf.get(setOf[row]!)!] = 1;
  }
  const whole: LinearDesign = { ...design, width, rows };
  let now = variance;
  let beta: Float64Array | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const penalties = new Float64Array(width).fill(ridge).fill(1 / now, design.width);
    penalties[0] = INTERCEPT_RIDGE;
    beta = fitLinear(table, whole, penalties, beta, offset);
    if (!find) break;
    const next = Math.max(
      LEAST_VARIANCE,
      varianceOf(table, whole, design.width, { beta, offset, variance: now }),
    );
    const moved = Math.abs(next - now) / now;
    now = next;
    if (moved < STEADY || now === LEAST_VARIANCE) break;
  }
  return {
    beta: beta!.slice(0, design.width * K),
    intercepts: beta!.slice(design.width * K),
    variance: now,
  };
}

/** Two directions at right angles in which logits can differ: what is added to all three changes nothing. */
const PLANE = [
  [Math.SQRT1_2, -Math.SQRT1_2, 0],
  [1 / Math.sqrt(6), 1 / Math.sqrt(6), -2 / Math.sqrt(6)],
] as const;

/** The next variance: mean over sets and directions of the square of u and of its variance given the data. */
function varianceOf(
  { weight }: Table,
  { rows, width, train }: LinearDesign,
  first: number,
  { beta, offset, variance }: { beta: Float64Array; offset: Float64Array; variance: number },
): number {
  const sets = width - first;
  // Of each set the curvature in the plane: a, b, d of [[a, b], [b, d]].
  const curvatures = Array.from({ length: sets }, (): [number, number, number] => [0, 0, 0]);
  for (const [i, row] of train.entries()) {
    const x = rows.subarray(i * width, (i + 1) * width);
    const z = Array.from({ length: K }, (_, k) =>
      x.reduce((sum, value, j) => (value === 0 ? sum : sum + value * beta[j * K + k]!), offset[row * K + k]!),
    );
    const most = Math.max(...z);
    const e = z.map((each) => Math.exp(each - most));
    const total = e.reduce((sum, each) => sum + each, 0);
    const own = curvatures[x.indexOf(1, first) - first]!;
    const along = PLANE.map((direction) => direction.reduce((sum, q, k) => sum + (q * e[k]!) / total, 0));
    const square = (g: 0 | 1, h: 0 | 1) =>
      PLANE[g].reduce((sum, q, k) => sum + (q * PLANE[h][k]! * e[k]!) / total, 0) - along[g]! * along[h]!;
    own[0] += weight[row]! * square(0, 0);
    own[1] += weight[row]! * square(0, 1);
    own[2] += weight[row]! * square(1, 1);
  }
  let sum = 0;
  for (const [s, [a, b, d]] of curvatures.entries()) {
    const [p, q] = [a + 1 / variance, d + 1 / variance];
    // Trace of the inverse of a matrix of two rows.
    sum += (p + q) / (p * q - b * b);
    for (const direction of PLANE) {
      sum += direction.reduce((z, each, k) => z + each * beta[(first + s) * K + k]!, 0) ** 2;
    }
  }
  return sum / (2 * sets);
}

/**
 * What logits of a set that nobody has seen are divided by, so that the softmax is about its mean over the unknown
 * intercepts: sqrt(1 + pi / 8 * variance of the difference of two logits) (MacKay 1992, equation 17).
 */
export function marginalFactor(variance: number): number {
  return Math.sqrt(1 + (Math.PI / 8) * 2 * variance);
}
