import { ACTIONS, type PlannerModel, type PlannerNode } from '../../router/index.ts';
import { booster, type Part } from './boosting.ts';
import { applyLinear, fitLinear, linearDesign, linearPart } from './linear.ts';
import { logLoss } from './quality.ts';
import type { Table } from './table.ts';
import type { TreeOptions } from './tree.ts';

const K = ACTIONS.length;
const RIDGES = [300, 100, 30, 10] as const;
const DEPTHS = [2, 3] as const;
const RATE = 0.15;
const ROUNDS = 200;
/** Rounds without a log loss that is better by LEAST after which nothing better is expected. */
const PATIENCE = 12;
const LEAST = 1e-4;

/** Base, regression and trees of a planner, before its temperature. */
export type Parts = Pick<PlannerModel, 'base' | 'linear' | 'trees'>;

/** A way to fit a planner. `z`: logits of every row by a model that has seen no row of its group. */
export interface Candidate {
  kind: PlannerModel['fitted']['kind'];
  /** What was chosen, for people: "ridge 30", "depth 3, 120 rounds". */
  setting: string;
  z: Float64Array;
  /** Parts fitted with this setting on `train`. */
  fit(train: Int32Array): Parts;
}

/** Logits of the actions' weighted frequencies, each with half a row more, centred. */
export function priorLogits({ label, weight }: Table, train: Int32Array): Float64Array {
  const mass = new Float64Array(K).fill(0.5);
  for (const row of train) mass[label[row]!]! += weight[row]!;
  const logs = mass.map(Math.log);
  const mean = logs.reduce((sum, each) => sum + each, 0) / K;
  return logs.map((each) => Number((each - mean).toPrecision(6)));
}

/** What everything is measured against: the frequencies alone. */
export function prior(table: Table, parts: readonly Part[]): Candidate {
  const z = new Float64Array(table.rows.length * K);
  for (const { train, held } of parts) {
    const base = priorLogits(table, train);
    for (const row of held) z.set(base, row * K);
  }
  return {
    kind: 'prior',
    setting: 'frequencies',
    z,
    fit: (train) => ({ base: named(priorLogits(table, train)), linear: [], trees: [] }),
  };
}

/** Multinomial logistic regressions, one a penalty; the penalties descend, each from where the last one ended. */
export function regressions(table: Table, parts: readonly Part[]): Candidate[] {
  const designs = parts.map(({ train }) => linearDesign(table, train));
  const begun: (Float64Array | undefined)[] = parts.map(() => undefined);
  return RIDGES.map((ridge) => {
    const z = new Float64Array(table.rows.length * K);
    for (const [i, { held }] of parts.entries()) {
      begun[i] = fitLinear(table, designs[i]!, ridge, begun[i]);
      applyLinear(table, designs[i]!, begun[i], held, z);
    }
    return {
      kind: 'linear',
      setting: `ridge ${ridge}`,
      z,
      fit: (train) => {
        const design = linearDesign(table, train);
        return { ...linearPart(table, design, fitLinear(table, design, ridge)), trees: [] };
      },
    };
  });
}

/**
 * Boosted trees, one candidate a depth. The boosters of all parts advance together; rounds end where the log loss on
 * what they have not seen, all parts taken together, stops falling, and the best round is kept.
 */
export function boostings(table: Table, parts: readonly Part[]): Candidate[] {
  return DEPTHS.map((depth) => {
    const options = optionsFor(table, depth);
    const boosters = parts.map((part) => booster(table, part, priorLogits(table, part.train), options));
    const all = Int32Array.from(table.rows.keys());
    const z = new Float64Array(table.rows.length * K);
    const gather = () => {
      for (const [i, { held }] of parts.entries()) {
        for (const row of held) z.set(boosters[i]!.z.subarray(row * K, (row + 1) * K), row * K);
      }
    };
    gather();
    let best = { rounds: 0, loss: logLoss(table, z, all), z: Float64Array.from(z) };
    for (let round = 1; round <= ROUNDS && round <= best.rounds + PATIENCE; round++) {
      for (const each of boosters) each.step();
      gather();
      const loss = logLoss(table, z, all);
      if (loss < best.loss - LEAST) best = { rounds: round, loss, z: Float64Array.from(z) };
    }
    return {
      kind: 'trees',
      setting: `depth ${depth}, ${best.rounds} rounds`,
      z: best.z,
      fit: (train) => {
        const base = priorLogits(table, train);
        const whole = booster(table, { train, held: new Int32Array(0) }, base, options);
        for (let round = 0; round < best.rounds; round++) whole.step();
        return { base: named(base), linear: [], trees: whole.trees };
      },
    };
  });
}

/** Half of one and half of the other: the mean of the logits. */
export function mean(one: Candidate, other: Candidate): Candidate {
  return {
    kind: 'both',
    setting: `${one.setting} and ${other.setting}`,
    z: one.z.map((each, i) => (each + other.z[i]!) / 2),
    fit: (train) => {
      const [a, b] = [halved(one.fit(train)), halved(other.fit(train))];
      return {
        base: named(ACTIONS.map((action) => a.base[action] + b.base[action])),
        linear: [...a.linear, ...b.linear],
        trees: [...a.trees, ...b.trees],
      };
    },
  };
}

function halved({ base, linear, trees }: Parts): Parts {
  const half = (all: Parts['base']) => named(ACTIONS.map((action) => all[action] / 2));
  const cut = (node: PlannerNode): PlannerNode =>
    'feature' in node
      ? { ...node, less: cut(node.less), more: cut(node.more), missing: cut(node.missing) }
      : half(node);
  return {
    base: half(base),
    linear: linear.map((input) => ({ ...input, weights: half(input.weights), missing: half(input.missing) })),
    trees: trees.map(cut),
  };
}

function named(values: ArrayLike<number>): Parts['base'] {
  return { ANSWER: values[0]!, ASK: values[1]!, ABSTAIN: values[2]! };
}

function optionsFor({ rows }: Table, depth: number): TreeOptions {
  return { depth, ridge: 3, rate: RATE, leastRows: Math.max(5, Math.min(30, Math.floor(rows.length / 50))) };
}
