/** A planner for sets of another kind than those it is fitted on. */
import {
  ACTIONS,
  DEFAULT_UTILITIES,
  type FeatureGroup,
  type PlannerModel,
  type PlanningFeature,
  sealed,
  type Utilities,
} from '../../router/index.ts';
import { foldsOf } from '../scores/folds.ts';
import { applyLinear, linearDesign, linearPart } from './linear.ts';
import { logLoss } from './quality.ts';
import { fitMixed, marginalFactor } from './random-intercepts.ts';
import { type SetRow, type Signs, signsOf } from './stable-signs.ts';
import { type Table, tableOf } from './table.ts';

export interface AcrossOptions {
  /** Groups of features that the planner shall not look at. */
  without?: readonly FeatureGroup[];
  /** Whether features whose sign is not the same in all sets are left out; default true. */
  stable?: boolean;
  /** What mistakes cost, for the file; default DEFAULT_UTILITIES. */
  utilities?: Utilities;
}

export interface AcrossReport {
  rows: number;
  sets: string[];
  /** Looked at. */
  features: PlanningFeature[];
  signs: Signs;
  ridge: number;
  /** Of what a set adds to the logit of an action, over sets. */
  variance: number;
  /** Logits are divided by `marginal`, because what the set adds is not known, then by `temperature`. */
  marginal: number;
  temperature: number;
  /** Nats, mean over sets of which the model has seen nothing but how often each action is right; null with one set. */
  logLoss: number | null;
}

const K = ACTIONS.length;
const RIDGES = [300, 100, 30, 10] as const;
/** At which the variance is looked for before the ridge is. */
const MIDDLE = 100;
const FOLDS = 5;

/**
 * A planner that carries over: P(a | x) where each action is due equally often, in a set that nobody has seen. Fitted is
 *
 *   log p(a | x, set) = log pi(set, a) + c(a) + w(a)' x + u(set, a) + what is the same for all actions,
 *
 * pi being the shares of the actions in the set, so that how often a set asks or abstains is not learned as if the features
 * said it (Saerens, Latinne and Decaestecker 2002: with the same p(x | a) everywhere it is exact), and u what else a
 * set adds, normal about 0 and marginalised out (see `fitMixed` and `marginalFactor`). Ridge and temperature are chosen on
 * sets left out. With `stable`, features of which `signsOf` does not say that they are, are left out. The prior of the
 * file is even: take another with `underPrior` or `--prior`. Pure. Throws INVALID_INPUT as `tableOf` does.
 */
export function fitAcrossSets(
  rows: readonly SetRow[],
  { without = [], stable = true, utilities = DEFAULT_UTILITIES }: AcrossOptions = {},
): { model: PlannerModel; report: AcrossReport } {
  const everything = tableOf(rows, without);
  const signs = signsOf(rows, everything);
  const table = stable ? only(everything, new Set(signs.stable)) : everything;
  const sets = [...new Set(rows.map(({ set }) => set))];
  const setOf = Int32Array.from(rows, ({ set }) => sets.indexOf(set));
  const offset = priorsOf(table, setOf, sets.length);
  const all = Int32Array.from(rows.keys());
  const design = linearDesign(table, all);
  const first = fitMixed(table, design, setOf, { ridge: MIDDLE, offset, variance: 1, find: true });
  const { ridge, temperature, loss } = chosenOnSets(rows, table, setOf, { offset, variance: first.variance });
  const { beta, variance } = fitMixed(table, design, setOf, {
    ridge,
    offset,
    variance: first.variance,
    find: true,
  });
  const marginal = marginalFactor(variance);
  const counts = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
  for (const { action } of rows) counts[action] += 1;
  const even = { ANSWER: 1 / K, ASK: 1 / K, ABSTAIN: 1 / K };
  return {
    model: sealed({
      temperature: Number((marginal * temperature).toPrecision(6)),
      ...linearPart(table, design, beta),
      trees: [],
      utilities,
      fitted: {
        kind: 'linear',
        rows: rows.length,
        groups: new Set(rows.map(({ group }) => group)).size,
        actions: counts,
        prior: even,
        quality: null,
      },
    }),
    report: {
      rows: rows.length,
      sets,
      features: design.inputs.map(({ column }) => table.features[column]!),
      signs,
      ridge,
      variance,
      marginal,
      temperature,
      logLoss: loss,
    },
  };
}

function only(table: Table, kept: ReadonlySet<PlanningFeature>): Table {
  const places = [...table.features.keys()].filter((place) => kept.has(table.features[place]!));
  return {
    ...table,
    features: places.map((place) => table.features[place]!),
    columns: places.map((place) => table.columns[place]!),
  };
}

/** Logs of the shares of the actions in the set of each row, K a row; half a row more of each, so that none is 0. */
function priorsOf({ label }: Table, setOf: Int32Array, sets: number): Float64Array {
  const counts = new Float64Array(sets * K).fill(0.5);
  for (const [row, set] of setOf.entries()) counts[set * K + label[row]!]! += 1;
  const offset = new Float64Array(label.length * K);
  for (const [row, set] of setOf.entries()) {
    const own = counts.subarray(set * K, set * K + K);
    const sum = own.reduce((total, each) => total + each, 0);
    for (let k = 0; k < K; k++) offset[row * K + k] = Math.log(own[k]! / sum);
  }
  return offset;
}

/**
 * Ridge and temperature of least log loss on sets left out, the mean over sets: each is judged with the shares of its own
 * actions, because how often an action is due is what `--prior` is for.
 */
function chosenOnSets(
  rows: readonly SetRow[],
  table: Table,
  setOf: Int32Array,
  { offset, variance }: { offset: Float64Array; variance: number },
): { ridge: number; temperature: number; loss: number | null } {
  const { folds, foldOf } = foldsOf(
    rows.map(({ set }) => ({ group: set })),
    FOLDS,
  );
  if (folds < 2) return { ridge: MIDDLE, temperature: 1, loss: null };
  const all = Int32Array.from(rows.keys());
  const parts = Array.from({ length: folds }, (_, fold) => ({
    design: linearDesign(
      table,
      all.filter((row) => foldOf[row] !== fold),
    ),
    held: all.filter((row) => foldOf[row] === fold),
  }));
  const judged = { ...table, weight: evenly(setOf) };
  const tried = RIDGES.map((ridge) => {
    const z = new Float64Array(rows.length * K);
    for (const { design, held } of parts) {
      const { beta } = fitMixed(table, design, setOf, { ridge, offset, variance, find: false });
      applyLinear(table, design, beta, held, z);
    }
    const wide = z.map((each) => each / marginalFactor(variance));
    return { ridge, ...tempered(judged, wide, offset, all) };
  });
  return tried.reduce((best, each) => (each.loss < best.loss ? each : best));
}

/** Each set weighs the same. */
function evenly(setOf: Int32Array): Float64Array {
  const sizes = new Map<number, number>();
  for (const set of setOf) sizes.set(set, (sizes.get(set) ?? 0) + 1);
  return Float64Array.from(setOf, (set) => 1 / sizes.get(set)!);
}

const HOTTEST = 20;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The temperature of z, not of the offset, with the least log loss: convex in 1 / temperature, by golden section. */
function tempered(
  table: Table,
  z: Float64Array,
  offset: Float64Array,
  places: Int32Array,
): { temperature: number; loss: number } {
  const at = (b: number) =>
    logLoss(
      table,
      z.map((each, i) => b * each + offset[i]!),
      places,
    );
  let [low, high] = [1 / HOTTEST, HOTTEST];
  while (high - low > 1e-4) {
    const step = GOLDEN * (high - low);
    if (at(high - step) <= at(low + step)) high = low + step;
    else low = high - step;
  }
  const b = (low + high) / 2;
  return { temperature: Number((1 / b).toPrecision(6)), loss: at(b) };
}
