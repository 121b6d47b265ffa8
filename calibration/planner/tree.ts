import { ACTIONS, type PlannerNode, type PlanningFeature } from '../../router/index.ts';
import type { BinnedColumn } from './bins.ts';

const K = ACTIONS.length;
/** Gradients and curvatures of every action, then the count. */
const CELL = 2 * K + 1;

export interface TreeOptions {
  depth: number;
  /** Added to the curvature of every leaf. */
  ridge: number;
  /** Least rows on either side of a threshold. */
  leastRows: number;
  /** What a leaf's value is multiplied by. */
  rate: number;
}

export interface Grower {
  features: readonly PlanningFeature[];
  columns: readonly BinnedColumn[];
  /** Bins of the fullest column, the one for missing values included. */
  bins: number;
  options: TreeOptions;
}

/** A split found: rows of bin 0 are missing, those up to `upTo` go to `less`, the others to `more`. */
interface Split {
  column: number;
  upTo: number;
  at: number;
}

/**
 * A tree for the gradients and curvatures in `slopes` (2K numbers a row), with a number for every action in each leaf:
 * a Newton step on each logit, the actions taken as independent. A split is the one whose children together gain most
 *   sum over children and actions of G^2 / (H + ridge).
 * What is missing is a child of its own; a child that no row of the node comes to gets what the node would have given
 * without a split. `reached(leaf, train, held)` is told which of the rows came to each leaf; `held` decides nothing. Ties go to
 * the first feature, then the smallest threshold.
 */
export function grow(
  grower: Grower,
  slopes: Float64Array,
  train: Int32Array,
  held: Int32Array,
  reached: (leaf: Record<(typeof ACTIONS)[number], number>, train: Int32Array, held: Int32Array) => void,
): PlannerNode {
  const { features, columns, bins, options } = grower;
  const histogram = new Float64Array(columns.length * bins * CELL);

  const node = (own: Int32Array, others: Int32Array, depth: number): PlannerNode => {
    const total = new Float64Array(CELL);
    for (const row of own) addRow(total, 0, slopes, row);
    const leaf = leafOf(total, options);
    const split = depth === 0 || own.length < 2 * options.leastRows ? null : best(own, total);
    if (split === null) {
      reached(leaf, own, others);
      return leaf;
    }
    const { bin } = columns[split.column]!;
    const sides = [0, 1, 2].map((side) => [
      own.filter((row) => sideOf(bin[row]!, split.upTo) === side),
      others.filter((row) => sideOf(bin[row]!, split.upTo) === side),
    ]) as [Int32Array, Int32Array][];
    const [missing, less, more] = sides.map(([rows, rest]) => {
      if (rows.length > 0) return node(rows, rest, depth - 1);
      reached(leaf, rows, rest);
      return leaf;
    }) as [PlannerNode, PlannerNode, PlannerNode];
    return { feature: features[split.column]!, at: split.at, less, more, missing };
  };

  const best = (own: Int32Array, total: Float64Array): Split | null => {
    histogram.fill(0);
    for (let c = 0; c < columns.length; c++) {
      const { bin } = columns[c]!;
      const start = c * bins * CELL;
      for (let i = 0; i < own.length; i++) {
        const row = own[i]!;
        addRow(histogram, start + bin[row]! * CELL, slopes, row);
      }
    }
    const without = value(total, options.ridge);
    const less = new Float64Array(CELL);
    const more = new Float64Array(CELL);
    let found: Split | null = null;
    let most = 1e-9 * Math.max(1, Math.abs(without));
    for (let c = 0; c < columns.length; c++) {
      const { cuts } = columns[c]!;
      const start = c * bins * CELL;
      const missing = histogram.subarray(start, start + CELL);
      const apart = missing[2 * K]! > 0 ? value(missing, options.ridge) : 0;
      const enoughMissing = missing[2 * K]! >= options.leastRows;
      less.fill(0);
      // Up to bin 0: nothing goes to `less`, and what was measured is parted from what was not.
      for (let upTo = 0; upTo <= cuts.length; upTo++) {
        if (upTo > 0) add(less, histogram, start + upTo * CELL);
        for (let j = 0; j < CELL; j++) more[j] = total[j]! - less[j]! - missing[j]!;
        if (more[2 * K]! < options.leastRows) break;
        if (upTo === 0 ? !enoughMissing : less[2 * K]! < options.leastRows) continue;
        const gain =
          (upTo === 0 ? 0 : value(less, options.ridge)) + value(more, options.ridge) + apart - without;
        if (gain > most) {
          most = gain;
          found = { column: c, upTo, at: upTo === 0 ? columns[c]!.least : cuts[upTo - 1]! };
        }
      }
    }
    return found;
  };

  return node(train, held, options.depth);
}

function sideOf(bin: number, upTo: number): number {
  return bin === 0 ? 0 : bin <= upTo ? 1 : 2;
}

function addRow(sums: Float64Array, at: number, slopes: Float64Array, row: number): void {
  const from = row * 2 * K;
  for (let j = 0; j < 2 * K; j++) sums[at + j]! += slopes[from + j]!;
  sums[at + 2 * K]! += 1;
}

function add(sums: Float64Array, more: Float64Array, from: number): void {
  for (let j = 0; j < CELL; j++) sums[j]! += more[from + j]!;
}

function value(sums: Float64Array, ridge: number): number {
  let total = 0;
  for (let k = 0; k < K; k++) total += sums[k]! ** 2 / (sums[K + k]! + ridge);
  return total;
}

function leafOf(sums: Float64Array, { ridge, rate }: TreeOptions) {
  const step = (k: number): number => Number(((-rate * sums[k]!) / (sums[K + k]! + ridge)).toPrecision(6));
  return { ANSWER: step(0), ASK: step(1), ABSTAIN: step(2) };
}
