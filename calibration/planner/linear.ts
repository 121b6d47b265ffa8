import { ACTIONS, type PlannerModel } from '../../router/index.ts';
import { cholesky, solve } from '../scores/cholesky.ts';
import { leastOf } from './minimise.ts';
import type { Table } from './table.ts';

const K = ACTIONS.length;
/** The intercepts' penalty: next to nothing, but with it there is one answer even where an action never occurs. */
export const INTERCEPT_RIDGE = 1e-3;

type LinearPart = Pick<PlannerModel, 'base' | 'linear'>;

/** How one feature enters: standardised, 0 where missing, and an indicator where it ever is. */
interface Input {
  column: number;
  mean: number;
  scale: number;
  place: number;
  missingPlace: number | null;
}

/** A regression's design on some rows, reused for every penalty. */
export interface LinearDesign {
  inputs: readonly Input[];
  /** Columns of `rows`: one of ones first. */
  width: number;
  rows: Float64Array;
  train: Int32Array;
}

/** Features in standard deviations from their mean over `train`. What never varies there is left out. */
export function linearDesign({ columns, weight }: Table, train: Int32Array): LinearDesign {
  const inputs: Input[] = [];
  for (const [column, values] of columns.entries()) {
    const [mean, variance, measured] = moments(values, weight, train);
    const scale = Math.sqrt(variance);
    if (!(scale > 1e-9 * Math.max(1, Math.abs(mean)))) continue;
    const missingPlace = measured < train.length ? 0 : null;
    inputs.push({ column, mean: six(mean), scale: six(scale), place: inputs.length + 1, missingPlace });
  }
  let width = inputs.length + 1;
  for (const input of inputs) if (input.missingPlace !== null) input.missingPlace = width++;
  const rows = new Float64Array(train.length * width);
  for (const [i, row] of train.entries())
    fill(rows.subarray(i * width, (i + 1) * width), inputs, columns, row);
  return { inputs, width, rows, train };
}

function moments(values: Float64Array, weight: Float64Array, train: Int32Array): [number, number, number] {
  let [sum, mass, measured] = [0, 0, 0];
  for (const row of train) {
    if (Number.isNaN(values[row]!)) continue;
    sum += weight[row]! * values[row]!;
    mass += weight[row]!;
    measured += 1;
  }
  const mean = sum / mass;
  let squares = 0;
  for (const row of train) {
    if (!Number.isNaN(values[row]!)) squares += weight[row]! * (values[row]! - mean) ** 2;
  }
  return [mean, squares / mass, measured];
}

function fill(into: Float64Array, inputs: readonly Input[], columns: Table['columns'], row: number): void {
  into[0] = 1;
  for (const { column, mean, scale, place, missingPlace } of inputs) {
    const value = columns[column]![row]!;
    if (!Number.isNaN(value)) into[place] = (value - mean) / scale;
    else if (missingPlace !== null) into[missingPlace] = 1;
  }
}

/**
 * Multinomial logistic regression: minimises the weighted negative log likelihood plus half of `ridge` times the sum
 * of the squared weights of all actions. Strictly convex; among the coefficients that give the same probabilities the
 * penalty takes those that sum to zero over the actions. `ridge`: one for all columns but the first, or one each.
 * `from`: where to begin, K numbers a column. `offset`: added to the logits, K numbers a row of the table. Returns the
 * weights.
 */
export function fitLinear(
  { label, weight }: Table,
  { width, rows, train }: LinearDesign,
  ridge: number | Float64Array,
  from: Float64Array = new Float64Array(width * K),
  offset: Float64Array | null = null,
): Float64Array {
  const penalties =
    typeof ridge === 'number' ? new Float64Array(width).fill(ridge).fill(INTERCEPT_RIDGE, 0, 1) : ridge;
  const precondition = preconditioner(weight, { width, rows, train }, penalties);
  return leastOf(
    from,
    (beta, gradient) => {
      let loss = 0;
      for (let j = 0; j < beta.length; j++) {
        const penalty = penalties[Math.trunc(j / K)]!;
        loss += (penalty / 2) * beta[j]! ** 2;
        gradient[j] = penalty * beta[j]!;
      }
      for (let i = 0; i < train.length; i++) {
        const row = train[i]!;
        const at = i * width;
        let [a, b, c] = [0, 0, 0];
        if (offset !== null) [a, b, c] = [offset[row * K]!, offset[row * K + 1]!, offset[row * K + 2]!];
        for (let j = 0, l = 0; j < width; j++, l += K) {
          const x = rows[at + j]!;
          a += x * beta[l]!;
          b += x * beta[l + 1]!;
          c += x * beta[l + 2]!;
        }
        const most = Math.max(a, b, c);
        [a, b, c] = [a - most, b - most, c - most];
        const own = label[row] === 0 ? a : label[row] === 1 ? b : c;
        [a, b, c] = [Math.exp(a), Math.exp(b), Math.exp(c)];
        const sum = a + b + c;
        loss += weight[row]! * (Math.log(sum) - own);
        const scale = weight[row]! / sum;
        a = scale * a - (label[row] === 0 ? weight[row]! : 0);
        b = scale * b - (label[row] === 1 ? weight[row]! : 0);
        c = scale * c - (label[row] === 2 ? weight[row]! : 0);
        for (let j = 0, l = 0; j < width; j++, l += K) {
          const x = rows[at + j]!;
          gradient[l]! += x * a;
          gradient[l + 1]! += x * b;
          gradient[l + 2]! += x * c;
        }
      }
      return loss;
    },
    precondition,
  );
}

/**
 * Applies the inverse of (X'WX/4 + ridge) to every action's part: about the curvature of the likelihood, which is at
 * most X'WX/2 (Böhning 1992), so that a few steps are enough.
 */
function preconditioner(
  weight: Float64Array,
  { width, rows, train }: Pick<LinearDesign, 'width' | 'rows' | 'train'>,
  penalties: Float64Array,
): (gradient: Float64Array) => Float64Array {
  const A = new Float64Array(width * width);
  for (let i = 0; i < train.length; i++) {
    const at = i * width;
    const w = weight[train[i]!]! / 4;
    for (let a = 0; a < width; a++) {
      const x = w * rows[at + a]!;
      if (x !== 0) for (let b = 0; b <= a; b++) A[a * width + b]! += x * rows[at + b]!;
    }
  }
  for (let a = 0; a < width; a++) {
    A[a * width + a]! += penalties[a]!;
    for (let b = 0; b < a; b++) A[b * width + a] = A[a * width + b]!;
  }
  const L = cholesky(A, width)!;
  return (gradient) => {
    const moved = new Float64Array(gradient.length);
    for (let k = 0; k < K; k++) {
      const part = new Float64Array(width);
      for (let j = 0; j < width; j++) part[j] = gradient[j * K + k]!;
      const solved = solve(L, part);
      for (let j = 0; j < width; j++) moved[j * K + k] = solved[j]!;
    }
    return moved;
  };
}

/** The regression as part of a planner, times `share`. What was never missing on the design counts as average there. */
export function linearPart(
  { features }: Table,
  { inputs }: LinearDesign,
  beta: Float64Array,
  share = 1,
): LinearPart {
  const at = (place: number) => ({
    ANSWER: six(share * beta[place * K]!),
    ASK: six(share * beta[place * K + 1]!),
    ABSTAIN: six(share * beta[place * K + 2]!),
  });
  return {
    base: at(0),
    linear: inputs.map(({ column, mean, scale, place, missingPlace }) => ({
      feature: features[column]!,
      mean,
      scale,
      weights: at(place),
      missing: missingPlace === null ? { ANSWER: 0, ASK: 0, ABSTAIN: 0 } : at(missingPlace),
    })),
  };
}

/** Logits of the rows at `places` under the regression, written into `z`, K a row. */
export function applyLinear(
  { columns }: Table,
  { inputs, width }: LinearDesign,
  beta: Float64Array,
  places: Int32Array,
  z: Float64Array,
): void {
  const x = new Float64Array(width);
  for (const row of places) {
    x.fill(0);
    fill(x, inputs, columns, row);
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let j = 0; j < width; j++) sum += x[j]! * beta[j * K + k]!;
      z[row * K + k] = sum;
    }
  }
}

/** Six digits: what a person can read, and what is applied is what is written. */
function six(value: number): number {
  return Number(value.toPrecision(6));
}
