import { type Random, seededRandom, shuffled } from '../../common/index.ts';
import {
  ACTIONS,
  type Action,
  DEFAULT_UTILITIES,
  type FeatureGroup,
  PLANNING_FEATURES,
  type PlannerModel,
  type PlanningFeature,
  sealed,
  type Utilities,
} from '../../router/index.ts';
import { foldsOf } from '../scores/folds.ts';
import { type Part, probabilities } from './boosting.ts';
import { boostings, type Candidate, mean, type Parts, prior, regressions } from './candidates.ts';
import { logitsInto, usedBy } from './logits.ts';
import { type ActionQuality, logLoss, type Quality, qualityOf, temperatureFor } from './quality.ts';
import { type PlannerRow, type Table, tableOf } from './table.ts';

export interface PlannerOptions {
  /** Groups of features that the planner shall not look at, for an ablation. */
  without?: readonly FeatureGroup[];
  /** Folds over groups; default 5. */
  folds?: number;
  /** What mistakes cost, for the file; default DEFAULT_UTILITIES. */
  utilities?: Utilities;
  /** Whether it is found out what each feature is worth, which takes as long again; default true. */
  importances?: boolean;
  /** For the shuffling behind the importances, the only chance there is; default 1. */
  seed?: number;
  /** What the rows are of, for the file; left out where it is not known. */
  on?: PlannerModel['fitted']['on'];
}

/** How a planner was fitted. All figures are on groups that the model behind them has not seen, calibrated likewise. */
export interface PlannerReport {
  rows: number;
  groups: number;
  folds: number;
  /** Every way that was tried, the chosen one included. Null where there was but one group. */
  tried: (Quality & { kind: Candidate['kind']; setting: string })[] | null;
  chosen: string;
  temperature: number;
  quality: Quality | null;
  byFold: Quality[];
  byAction: Record<Action, ActionQuality> | null;
  importance: Importance[];
  /** Features that the planner does not look at: the same in every row, left out, or of no use. */
  unused: PlanningFeature[];
}

const FOLDS = 5;

/**
 * A planner: P(action) from what was measured of a query. Multinomial logistic regressions of several penalties,
 * boosted trees of several depths and the mean of the best of each are compared, with the actions' frequencies alone,
 * by log loss in cross-validation over groups; the best is fitted on everything and made calibrated by one temperature
 * (Guo et al. 2017), found on the predictions for groups left out. In the comparison each fold's temperature comes from
 * the other folds. Rows of fewer than two groups, and of one action only, give the frequencies. Weights are scaled to a
 * mean of one. `held`: of every row, in order, the probabilities by a model that has seen no row of its group; null with
 * one group. Pure, and deterministic to the byte. Throws INVALID_INPUT as `tableOf` does.
 */
export function fitPlanner(
  rows: readonly PlannerRow[],
  {
    without = [],
    folds: wanted = FOLDS,
    utilities = DEFAULT_UTILITIES,
    importances = true,
    seed = 1,
    on,
  }: PlannerOptions = {},
): { model: PlannerModel; report: PlannerReport; held: Record<Action, number>[] | null } {
  const table = scaled(tableOf(rows, without));
  const { folds, foldOf } = foldsOf(rows, wanted);
  const all = Int32Array.from(rows.keys());
  const parts = Array.from({ length: folds }, (_, fold): Part => {
    return { train: all.filter((i) => foldOf[i] !== fold), held: all.filter((i) => foldOf[i] === fold) };
  });
  const candidates = folds < 2 ? [] : candidatesFor(table, parts);
  const judged = candidates.map((candidate) => ({ candidate, ...judge(table, candidate, parts, foldOf) }));
  // Among equals the first: the simplest.
  const best = judged.reduce<(typeof judged)[number] | null>(
    (one, next) => (one === null || next.quality.logLoss < one.quality.logLoss ? next : one),
    null,
  );
  const chosen = best?.candidate ?? prior(table, []);
  const temperature = best === null || chosen.kind === 'prior' ? 1 : temperatureFor(table, chosen.z, all);
  const model = chosen.fit(all);
  const used = usedBy(model);
  const quality = best === null ? null : bare(best.quality);
  return {
    model: sealed({
      temperature,
      ...model,
      utilities,
      fitted: {
        kind: chosen.kind,
        rows: rows.length,
        groups: new Set(rows.map(({ group }) => group)).size,
        actions: counts(table),
        prior: shares(table),
        quality,
        ...(on === undefined ? {} : { on }),
      },
    }),
    held: best?.held ?? null,
    report: {
      rows: rows.length,
      groups: new Set(rows.map(({ group }) => group)).size,
      folds,
      tried:
        judged.length === 0
          ? null
          : judged.map((one) => ({
              kind: one.candidate.kind,
              setting: one.candidate.setting,
              ...bare(one.quality),
            })),
      chosen: `${chosen.kind}: ${chosen.setting}`,
      temperature,
      quality,
      byFold: best?.byFold ?? [],
      byAction: best?.quality.byAction ?? null,
      importance:
        used.size === 0 || !importances
          ? []
          : importanceOf(
              table,
              parts.map((part) => ({ ...part, model: chosen.fit(part.train) })),
              temperature,
              seed,
            ),
      unused: PLANNING_FEATURES.filter((feature) => !used.has(feature)),
    },
  };
}

function candidatesFor(table: Table, parts: readonly Part[]): Candidate[] {
  const frequencies = prior(table, parts);
  if (new Set(table.label).size < 2 || table.features.length === 0) return [frequencies];
  const all = Int32Array.from(table.rows.keys());
  const linear = regressions(table, parts);
  const trees = boostings(table, parts);
  const least = (list: readonly Candidate[]): Candidate => {
    const losses = list.map(({ z }) => qualityOf(table, z, all, () => temperatureFor(table, z, all)).logLoss);
    return list[losses.indexOf(Math.min(...losses))]!;
  };
  return [frequencies, ...linear, ...trees, mean(least(linear), least(trees))];
}

/** Each fold at the temperature of the others. */
function judge(table: Table, { kind, z }: Candidate, parts: readonly Part[], foldOf: Int32Array) {
  const temperatures = parts.map(({ train }) => (kind === 'prior' ? 1 : temperatureFor(table, z, train)));
  const at = (row: number): number => temperatures[foldOf[row]!]!;
  return {
    held: table.rows.map((_, row) => perAction(probabilities(z, row, at(row)))),
    quality: qualityOf(table, z, Int32Array.from(table.rows.keys()), at),
    byFold: parts.map(({ held }) => bare(qualityOf(table, z, held, at))),
  };
}

function perAction([ANSWER, ASK, ABSTAIN]: number[]): Record<Action, number> {
  return { ANSWER: ANSWER!, ASK: ASK!, ABSTAIN: ABSTAIN! };
}

function bare({ logLoss, accuracy, macroF1 }: Quality): Quality {
  return { logLoss: six(logLoss), accuracy: six(accuracy), macroF1: six(macroF1) };
}

function six(value: number): number {
  return Number(value.toPrecision(6));
}

function counts({ label }: Table): Record<Action, number> {
  const found = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
  for (const place of label) found[ACTIONS[place]!] += 1;
  return found;
}

/** The same as shares, rows as they weigh. */
function shares({ label, weight }: Table): Record<Action, number> {
  const found = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
  const sum = weight.reduce((total, each) => total + each, 0);
  for (const [i, place] of label.entries()) found[ACTIONS[place]!] += weight[i]! / sum;
  return found;
}

function scaled(table: Table): Table {
  const mean = table.weight.reduce((sum, each) => sum + each, 0) / table.weight.length;
  return { ...table, weight: table.weight.map((each) => each / mean) };
}

const K = ACTIONS.length;

/** How much log loss grows when a feature's values are dealt out anew, in nats. */
interface Importance {
  feature: PlanningFeature;
  increase: number;
}

/**
 * Permutation importance (Breiman 2001; Fisher et al. 2019) on rows that the model of their part has not seen, the
 * values of one feature shuffled among the rows of a part. Features that are alike share what they are worth. Largest
 * first; a feature that no part uses has none.
 */
function importanceOf(
  table: Table,
  parts: readonly (Part & { model: Parts })[],
  temperature: number,
  seed: number,
): Importance[] {
  const all = Int32Array.from(parts.flatMap(({ held }) => [...held]));
  const z = new Float64Array(table.rows.length * K);
  for (const { model, held } of parts) logitsInto(model, table, held, z);
  const whole = logLoss(table, z, all, temperature);
  const used = new Set(parts.flatMap(({ model }) => [...usedBy(model)]));
  const found: Importance[] = [];
  for (const [column, feature] of table.features.entries()) {
    if (!used.has(feature)) continue;
    const random = seededRandom(seed + column);
    const values = Float64Array.from(table.columns[column]!);
    for (const { held } of parts) shuffle(values, held, random);
    const columns = table.columns.map((own, i) => (i === column ? values : own));
    for (const { model, held } of parts) logitsInto(model, { ...table, columns }, held, z);
    found.push({ feature, increase: logLoss(table, z, all, temperature) - whole });
  }
  return found.sort((a, b) => b.increase - a.increase || (a.feature < b.feature ? -1 : 1));
}

function shuffle(values: Float64Array, places: Int32Array, random: Random): void {
  const drawn = shuffled(
    Array.from(places, (place) => values[place]!),
    random,
  );
  places.forEach((place, i) => {
    values[place] = drawn[i]!;
  });
}
