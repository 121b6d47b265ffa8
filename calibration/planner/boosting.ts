import { ACTIONS, type PlannerNode } from '../../router/index.ts';
import { binned } from './bins.ts';
import type { Table } from './table.ts';
import { type Grower, grow, type TreeOptions } from './tree.ts';

const K = ACTIONS.length;
const BINS = 16;

/** Rows to learn from, and rows that only see how well it does. */
export interface Part {
  train: Int32Array;
  held: Int32Array;
}

/** Boosting of one part, a round at a time. `z`: logits of all rows, K a row; those of neither list stay as they began. */
export interface Booster {
  z: Float64Array;
  trees: PlannerNode[];
  step(): void;
}

/**
 * Gradient boosting with multinomial loss (Friedman 2001), a tree a round with a leaf value for every action. Starts
 * at `base`, the same logits for every row. Deterministic: no row and no column is drawn.
 */
export function booster(
  table: Table,
  { train, held }: Part,
  base: Float64Array,
  options: TreeOptions,
): Booster {
  const columns = table.columns.map((column) => binned(column, train, BINS));
  const bins = 2 + columns.reduce((most, { cuts }) => Math.max(most, cuts.length), 0);
  const grower: Grower = { features: table.features, columns, bins, options };
  const z = new Float64Array(table.rows.length * K);
  for (let i = 0; i < z.length; i++) z[i] = base[i % K]!;
  const slopes = new Float64Array(2 * z.length);
  const trees: PlannerNode[] = [];
  return {
    z,
    trees,
    step() {
      for (const row of train) slope(table, z, slopes, row);
      const tree = grow(grower, slopes, train, held, (leaf, ...lists) => {
        for (const rows of lists) {
          for (const row of rows) for (let k = 0; k < K; k++) z[row * K + k]! += leaf[ACTIONS[k]!];
        }
      });
      trees.push(tree);
    },
  };
}

function slope({ label, weight }: Table, z: Float64Array, slopes: Float64Array, row: number): void {
  const from = row * 2 * K;
  const most = Math.max(z[row * K]!, z[row * K + 1]!, z[row * K + 2]!);
  let sum = 0;
  for (let k = 0; k < K; k++) {
    slopes[from + k] = Math.exp(z[row * K + k]! - most);
    sum += slopes[from + k]!;
  }
  for (let k = 0; k < K; k++) {
    const p = slopes[from + k]! / sum;
    slopes[from + k] = weight[row]! * (p - (label[row] === k ? 1 : 0));
    slopes[from + K + k] = weight[row]! * p * (1 - p);
  }
}

/** Softmax of the logits of a row, at a temperature. */
export function probabilities(z: Float64Array, row: number, temperature = 1): number[] {
  const at = row * K;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < K; k++) most = Math.max(most, z[at + k]!);
  let sum = 0;
  const e = new Array<number>(K);
  for (let k = 0; k < K; k++) {
    e[k] = Math.exp((z[at + k]! - most) / temperature);
    sum += e[k]!;
  }
  for (let k = 0; k < K; k++) e[k]! /= sum;
  return e;
}
