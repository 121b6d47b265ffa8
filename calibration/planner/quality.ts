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

/**
 * The temperature at which log loss is least, by golden section on its logarithm within [1/20, 20]: the loss is convex
 * in 1/temperature, and so has one minimum (Guo et al. 2017).
 */
export function temperatureFor(table: Table, z: Float64Array, rows: Int32Array): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  const at = (x: number): number => logLoss(table, z, rows, Math.exp(x));
  let [low, high] = [-Math.log(20), Math.log(20)];
  let [a, b] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [fa, fb] = [at(a), at(b)];
  for (let step = 0; step < 30; step++) {
    if (fa <= fb) {
      [high, b, fb] = [b, a, fa];
      a = high - ratio * (high - low);
      fa = at(a);
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + ratio * (high - low);
      fb = at(b);
    }
  }
  return Number(Math.exp((low + high) / 2).toPrecision(6));
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
