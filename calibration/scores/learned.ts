import { PragauraError } from '../../common/index.ts';
import {
  FEATURES,
  type FeatureName,
  type Features,
  scoreOf,
  type UncertaintyScore,
} from '../../router/index.ts';
import { augrc, aurc } from '../metrics/selective.ts';
import { type Column, design, scoreFrom, significant } from './design.ts';
import { foldsOf } from './folds.ts';
import { isotonicMap } from './isotonic.ts';
import type { FitItem } from './items.ts';
import { fitLogistic, standardErrors } from './logistic.ts';

export type LearnedScore = Extract<UncertaintyScore, { kind: 'learned' }>;

const FOLDS = 5;
const RIDGES = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000] as const;

/** How well a score does on groups that it was not fitted on. */
export interface ScoreQuality {
  /** Over all items, those that are never answered last; loss: wrong or not. */
  aurc: number;
  augrc: number;
  /** Of P(right) = 1 - U, over the items that can be answered. `logLoss` in nats. */
  brier: number;
  logLoss: number;
}

/** Weights are per standard deviation of the feature, in units of log odds of being right. */
export interface Coefficient {
  feature: FeatureName;
  weight: number;
  standardError: number;
  /** Of "this feature is missing"; null where it never was. */
  missing: number | null;
  missingError: number | null;
}

export interface LearnedReport {
  /** Items that the score was fitted on: labelled, with a candidate, all gates open. */
  fitted: number;
  groups: number;
  folds: number;
  ridge: number;
  ridges: { ridge: number; logLoss: number }[];
  /** Log loss on groups left out with and without an isotonic map; the score has one where it helps. */
  isotonic: { without: number; with: number };
  quality: ScoreQuality;
  intercept: { weight: number; standardError: number };
  coefficients: Coefficient[];
  /** Features that were the same in every item, or never measured. */
  leftOut: FeatureName[];
}

export interface LearnedFit {
  score: LearnedScore;
  report: LearnedReport;
  /** In nats, of each item that can be answered, in their order, by a score that was fitted without its group. */
  losses: readonly number[];
}

type OpenItem = FitItem & { features: Features };

/**
 * P(right) by logistic regression over standardised features, a missing value as an indicator of its own. The ridge
 * is the one with the least log loss on groups left out (five folds). An isotonic map, fitted on those predictions for
 * groups left out, calibrates it where that lowers the log loss: on some hundreds of examples it mostly fits noise, and
 * a regression whose shape is right needs none. Each fold is judged, there and in `quality`, by a regression fitted
 * without it and a map fitted on the predictions of the other folds. It is not unseen by all: the regressions that made
 * those predictions were fitted with it, and the ridge was chosen with it. Pure and deterministic.
 *
 * Nothing richer: on 586 questions of SQuAD's training articles, five times five folds by article, splines, products of
 * pairs, the act, boosted stumps and trees and random forests all ranked worse by AURC, and logarithms of counts better
 * by no more than chance.
 *
 * Throws INVALID_INPUT when the items that can be answered are of fewer than two groups, all right, or all wrong.
 */
export function fitLearned(items: readonly FitItem[]): LearnedFit {
  const open = items.filter((item): item is OpenItem => item.features !== null);
  const { folds, foldOf } = foldsOf(open, FOLDS);
  checkEnough(open, folds);

  const tried = RIDGES.map((ridge) => {
    const scores = Array.from(
      { length: folds },
      (_, fold) =>
        regression(
          open.filter((__, i) => foldOf[i] !== fold),
          ridge,
        ).score,
    );
    const predicted = open.map(({ features }, i) => 1 - scoreOf(scores[foldOf[i]!]!, features)!);
    return { ridge, scores, predicted, logLoss: logLoss(predicted, open) };
  });
  // Among equals the stronger penalty.
  const { ridge, scores, predicted } = tried.reduce((best, next) =>
    next.logLoss <= best.logLoss ? next : best,
  );

  const right = open.map(({ wrong }) => !wrong);
  const mapped = scores.map((score, fold): LearnedScore => {
    const elsewhere = open.flatMap((_, i) => (foldOf[i] === fold ? [] : [i]));
    const isotonic = isotonicMap(
      elsewhere.map((i) => predicted[i]!),
      elsewhere.map((i) => right[i]!),
    );
    return { ...score, isotonic };
  });
  const plainly = qualityOf(items, open, foldOf, scores);
  const withMap = qualityOf(items, open, foldOf, mapped);
  const helps = withMap.quality.logLoss < plainly.quality.logLoss;

  const { columns, beta, errors, score } = regression(open, ridge);
  const standard = errors();
  return {
    score: { ...score, isotonic: helps ? isotonicMap(predicted, right) : null },
    losses: lossesOf((helps ? withMap : plainly).predicted, open),
    report: {
      fitted: open.length,
      groups: new Set(open.map(({ group }) => group)).size,
      folds,
      ridge,
      ridges: tried.map((each) => ({ ridge: each.ridge, logLoss: each.logLoss })),
      isotonic: { without: plainly.quality.logLoss, with: withMap.quality.logLoss },
      quality: (helps ? withMap : plainly).quality,
      intercept: { weight: significant(beta[0]!), standardError: significant(standard[0]!) },
      coefficients: coefficientsOf(columns, beta, standard),
      leftOut: FEATURES.filter((name) => !columns.some(({ feature }) => feature === name)),
    },
  };
}

function regression(items: readonly OpenItem[], ridge: number) {
  const { columns, row } = design(items.map(({ features }) => features));
  const problem = {
    rows: items.map(({ features }) => row(features)),
    right: items.map(({ wrong }) => !wrong),
    ridge,
  };
  const beta = fitLogistic(problem);
  const errors = () =>
    standardErrors(
      problem,
      beta,
      items.map(({ group }) => group),
    );
  return { columns, beta, errors, score: scoreFrom(columns, beta) };
}

function coefficientsOf(columns: readonly Column[], beta: Float64Array, errors: Float64Array): Coefficient[] {
  return columns.map(({ feature, place, missingPlace }) => ({
    feature,
    weight: significant(beta[place]!),
    standardError: significant(errors[place]!),
    missing: missingPlace === null ? null : significant(beta[missingPlace]!),
    missingError: missingPlace === null ? null : significant(errors[missingPlace]!),
  }));
}

function qualityOf(
  items: readonly FitItem[],
  open: readonly OpenItem[],
  foldOf: Int32Array,
  scores: readonly LearnedScore[],
): { quality: ScoreQuality; predicted: number[] } {
  const U = new Map(open.map((item, i) => [item as FitItem, scoreOf(scores[foldOf[i]!]!, item.features)!]));
  const list = items.map((item) => ({ uncertainty: U.get(item) ?? null, loss: item.wrong ? 1 : 0 }));
  const predicted = open.map((item) => 1 - U.get(item)!);
  const squared = open.map(({ wrong }, i) => (predicted[i]! - (wrong ? 0 : 1)) ** 2);
  const quality = {
    aurc: aurc(list)!,
    augrc: augrc(list)!,
    brier: squared.reduce((sum, each) => sum + each, 0) / open.length,
    logLoss: logLoss(predicted, open),
  };
  return { quality, predicted };
}

/** Mean, in nats. */
function logLoss(predicted: readonly number[], items: readonly OpenItem[]): number {
  return lossesOf(predicted, items).reduce((sum, loss) => sum + loss, 0) / items.length;
}

/** A prediction of 0 or 1 counts as one in a million, so that one bold mistake is not infinite. */
function lossesOf(predicted: readonly number[], items: readonly OpenItem[]): number[] {
  return items.map(({ wrong }, i) => {
    const p = Math.min(1 - 1e-6, Math.max(1e-6, predicted[i]!));
    return -Math.log(wrong ? 1 - p : p);
  });
}

function checkEnough(open: readonly OpenItem[], folds: number): void {
  const wrong = open.filter((item) => item.wrong).length;
  const hint = 'Label more examples, or say --score formula.';
  if (folds < 2) {
    const message = `The learned score needs labelled examples of two groups or more that can be answered, not ${folds}.`;
    throw new PragauraError('INVALID_INPUT', message, { hint });
  }
  if (wrong === 0 || wrong === open.length) {
    const all = wrong === 0 ? 'right' : 'wrong';
    const message = `All ${open.length} examples for fitting the learned score are ${all}: nothing tells them apart.`;
    throw new PragauraError('INVALID_INPUT', message, { hint });
  }
}
