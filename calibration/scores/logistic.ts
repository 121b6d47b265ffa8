import { logLoss, PragauraError, sigmoid } from '../../common/index.ts';
import { cholesky, solve } from './cholesky.ts';

/** `rows`: one array an item, of equal length, without a column of ones. */
export interface LogisticProblem {
  rows: readonly Float64Array[];
  right: readonly boolean[];
  /** Penalty: half of this times the sum of squared weights is added to the negative log likelihood. > 0. */
  ridge: number;
}

const STEPS = 100;
const CONVERGED = 1e-10;
/** The intercept's penalty: next to nothing, but with it there is an answer even when all outcomes are the same. */
const INTERCEPT_RIDGE = 1e-3;

/**
 * Ridge-penalised logistic regression by Newton's method with step halving; `[intercept, ...weights]`. The penalised
 * likelihood is strictly concave, so the answer is unique. Throws INTERNAL when it is not found.
 */
export function fitLogistic({ rows, right, ridge }: LogisticProblem): Float64Array {
  const size = (rows[0]?.length ?? 0) + 1;
  let beta: Float64Array = new Float64Array(size);
  let value = objective(rows, right, ridge, beta);
  for (let step = 0; step < STEPS; step++) {
    const { gradient, hessian } = derivatives(rows, right, ridge, beta);
    const L = cholesky(hessian, size);
    if (L === null) break;
    const direction = solve(L, gradient);
    const decrement = direction.reduce((sum, d, i) => sum + d * gradient[i]!, 0);
    if (decrement < CONVERGED) return beta;
    let scale = 1;
    let next = moved(beta, direction, scale);
    let nextValue = objective(rows, right, ridge, next);
    while (nextValue > value && scale > 1e-6) {
      scale /= 2;
      next = moved(beta, direction, scale);
      nextValue = objective(rows, right, ridge, next);
    }
    // No step is downhill any more: this is the minimum to working precision.
    if (nextValue > value) return beta;
    beta = next;
    value = nextValue;
  }
  throw new PragauraError('INTERNAL', 'The logistic regression did not converge.');
}

/**
 * Standard errors of `beta`, given the ridge: the larger of those of the model and of those that allow for items of one
 * group being alike (sandwich by group; White 1980, Liang and Zeger 1986; times G/(G-1)), which are far too small when
 * groups are few.
 */
export function standardErrors(
  problem: LogisticProblem,
  beta: Float64Array,
  groups: readonly string[],
): Float64Array {
  const { rows, right, ridge } = problem;
  const size = beta.length;
  const { hessian } = derivatives(rows, right, ridge, beta);
  const L = cholesky(hessian, size)!;
  const scores = new Map<string, Float64Array>();
  for (const [i, row] of rows.entries()) {
    const residual = (right[i] ? 1 : 0) - sigmoid(linear(beta, row));
    const score = scores.get(groups[i]!) ?? new Float64Array(size);
    score[0]! += residual;
    for (let j = 1; j < size; j++) score[j]! += residual * row[j - 1]!;
    scores.set(groups[i]!, score);
  }
  const few = scores.size / Math.max(1, scores.size - 1);
  const variance = new Float64Array(size);
  for (const score of scores.values()) {
    const influence = solve(L, score);
    for (let j = 0; j < size; j++) variance[j]! += few * influence[j]! ** 2;
  }
  return variance.map((sandwich, j) => {
    const unit = new Float64Array(size);
    unit[j] = 1;
    return Math.sqrt(Math.max(sandwich, solve(L, unit)[j]!));
  });
}

function penalty(place: number, ridge: number): number {
  return place === 0 ? INTERCEPT_RIDGE : ridge;
}

/** Intercept plus weighted sum. */
function linear(beta: Float64Array, row: Float64Array): number {
  let z = beta[0]!;
  for (let j = 0; j < row.length; j++) z += beta[j + 1]! * row[j]!;
  return z;
}

/** Negative penalised log likelihood. */
function objective(
  rows: readonly Float64Array[],
  right: readonly boolean[],
  ridge: number,
  beta: Float64Array,
): number {
  let sum = 0;
  for (let j = 0; j < beta.length; j++) sum += (penalty(j, ridge) / 2) * beta[j]! ** 2;
  for (const [i, row] of rows.entries()) {
    sum += logLoss(right[i] ? linear(beta, row) : -linear(beta, row));
  }
  return sum;
}

/** `gradient` points downhill. */
function derivatives(
  rows: readonly Float64Array[],
  right: readonly boolean[],
  ridge: number,
  beta: Float64Array,
): { gradient: Float64Array; hessian: Float64Array } {
  const size = beta.length;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size * size);
  const x = new Float64Array(size);
  x[0] = 1;
  for (const [i, row] of rows.entries()) {
    x.set(row, 1);
    const p = sigmoid(linear(beta, row));
    const residual = (right[i] ? 1 : 0) - p;
    const weight = p * (1 - p);
    for (let a = 0; a < size; a++) {
      gradient[a]! += residual * x[a]!;
      const scaled = weight * x[a]!;
      for (let b = 0; b <= a; b++) hessian[a * size + b]! += scaled * x[b]!;
    }
  }
  for (let a = 0; a < size; a++) {
    gradient[a]! -= penalty(a, ridge) * beta[a]!;
    hessian[a * size + a]! += penalty(a, ridge);
  }
  for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) hessian[b * size + a] = hessian[a * size + b]!;
  return { gradient, hessian };
}

function moved(beta: Float64Array, direction: Float64Array, scale: number): Float64Array {
  return beta.map((value, i) => value + scale * direction[i]!);
}
