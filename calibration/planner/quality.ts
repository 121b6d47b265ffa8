import { ACTIONS } from '../../router/index.ts';
import { probabilities } from './boosting.ts';
import type { Table } from './table.ts';

const K = ACTIONS.length;

/** How well probabilities foretell actions. `logLoss` in nats; `macroF1` over the actions that are due or foretold. */
export interface Quality {
  logLoss: number;
  accuracy: number;
  macroF1: number;
}

/** How often one action was due and foretold; null where a share has nothing below the line. */
export interface ActionQuality {
  due: number;
  foretold: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
}

/** Weighted mean of -log p(right action) over `rows`, in nats. */
export function logLoss(table: Table, z: Float64Array, rows: Int32Array, temperature = 1): number {
  let sum = 0;
  let weight = 0;
  for (const row of rows) {
    const own = z[row * K + table.label[row]!]!;
    let odds = 0;
    for (let k = 0; k < K; k++) odds += Math.exp((z[row * K + k]! - own) / temperature);
    sum += table.weight[row]! * Math.log(Math.min(odds, 1e300));
    weight += table.weight[row]!;
  }
  return sum / weight;
}

/** Temperatures lie in [1/HOTTEST, HOTTEST]. */
const HOTTEST = 20;

/**
 * The temperature at which log loss is least (Guo et al. 2017). The loss is convex in b = 1/temperature, so that its
 * slope, the weighted sum of E_p[z] - z of the right action, has one zero: found by Newton's method, halving the bracket
 * where a step leaves it.
 */
export function temperatureFor(table: Table, z: Float64Array, rows: Int32Array): number {
  let [low, high] = [1 / HOTTEST, HOTTEST];
  let b = 1;
  for (let step = 0; step < 60; step++) {
    const [slope, curvature] = slopeAt(table, z, rows, b);
    if (slope > 0) high = b;
    else low = b;
    const newton = b - slope / curvature;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    const moved = Math.abs(next - b);
    b = next;
    if (moved < 1e-9 * b) break;
  }
  return Number((1 / b).toPrecision(6));
}

/** First and second derivative of the summed log loss in b = 1/temperature. */
function slopeAt({ label, weight }: Table, z: Float64Array, rows: Int32Array, b: number): [number, number] {
  let [slope, curvature] = [0, 0];
  for (const row of rows) {
    const own = z[row * K + label[row]!]!;
    const most = Math.max(z[row * K]!, z[row * K + 1]!, z[row * K + 2]!);
    let [sum, first, second] = [0, 0, 0];
    for (let k = 0; k < K; k++) {
      const above = z[row * K + k]! - own;
      const e = Math.exp(b * (z[row * K + k]! - most));
      sum += e;
      first += e * above;
      second += e * above * above;
    }
    const mean = first / sum;
    slope += weight[row]! * mean;
    curvature += weight[row]! * (second / sum - mean * mean);
  }
  return [slope, curvature];
}

/** Of the likeliest action for every row (a tie: the first of ACTIONS), each row at the temperature of its fold. */
export function qualityOf(
  table: Table,
  z: Float64Array,
  rows: Int32Array,
  temperature: (row: number) => number,
): Quality & { byAction: Record<(typeof ACTIONS)[number], ActionQuality> } {
  const { label, weight } = table;
  const due = new Float64Array(K);
  const foretold = new Float64Array(K);
  const right = new Float64Array(K);
  let loss = 0;
  for (const row of rows) {
    const p = probabilities(z, row, temperature(row));
    const likeliest = p.indexOf(Math.max(...p));
    due[label[row]!]! += weight[row]!;
    foretold[likeliest]! += weight[row]!;
    if (likeliest === label[row]) right[likeliest]! += weight[row]!;
    loss -= weight[row]! * Math.log(Math.max(p[label[row]!]!, 1e-300));
  }
  const total = due.reduce((sum, each) => sum + each, 0);
  const byAction = Object.fromEntries(
    ACTIONS.map((action, k): [string, ActionQuality] => [
      action,
      {
        due: due[k]!,
        foretold: foretold[k]!,
        precision: foretold[k] === 0 ? null : right[k]! / foretold[k]!,
        recall: due[k] === 0 ? null : right[k]! / due[k]!,
        f1: due[k]! + foretold[k]! === 0 ? null : (2 * right[k]!) / (due[k]! + foretold[k]!),
      },
    ]),
  ) as Record<(typeof ACTIONS)[number], ActionQuality>;
  const scores = Object.values(byAction).flatMap(({ f1 }) => f1 ?? []);
  return {
    logLoss: loss / total,
    accuracy: right.reduce((sum, each) => sum + each, 0) / total,
    macroF1: scores.reduce((sum, each) => sum + each, 0) / scores.length,
    byAction,
  };
}
