import { PragauraError } from '../../common/index.ts';
import type { UncertaintyScore } from '../../router/index.ts';
import { unrestricted } from '../labels/examples.ts';
import { augrc, aurc } from '../metrics/selective.ts';
import type { FormulaFit } from '../scores/formula.ts';
import { type FitItem, fitItems, ranked } from '../scores/items.ts';
import type { LearnedReport } from '../scores/learned.ts';
import { fitSampled } from '../scores/sampled.ts';
import { scoredWith } from '../scores/scored.ts';
import { fitTempered } from '../scores/temperatures.ts';
import { type Documents, documentIn, documentsAmong } from '../splits/documents.ts';
import { calibrateActs } from '../thresholds/calibrate-acts.ts';
import type { CalibrationRequest, Exchangeable } from '../thresholds/types.ts';
import type { Observation } from '../types.ts';
import { type ArtifactParts, buildArtifact } from './build.ts';
import type { CalibrationArtifact, Fit } from './schema.ts';

export type ScoreKind = UncertaintyScore['kind'];

export interface CalibrationSettings
  extends Omit<ArtifactParts, 'score' | 'fit' | 'thresholds' | 'observations' | 'wrong' | 'documents'> {
  kind: ScoreKind;
  /** Hash of the planner that made the observations' `planned`; null unless the score is the planner's. */
  planner: string | null;
  wrong: ArtifactParts['wrong'];
  exchangeable: Exchangeable;
  /** Of all examples of the files, also those that were left out. Default: of those that are given. */
  documents?: Documents;
}

export interface Calibration {
  artifact: CalibrationArtifact;
  /** How the learned score came about; null for the formula. */
  learned: LearnedReport | null;
  /** Whether a planner is known to have seen none of what sets and tests the thresholds. */
  unseen: boolean;
  /** AUGRC at every point of the grid of weights, on tune; null for the learned score. */
  surface: FormulaFit['surface'] | null;
}

/**
 * From what was measured to thresholds: the score is fitted on tune, thresholds are set on calibrate, and what they
 * come to is counted on test; the last two, and what plans the tests, without examples that no promise is about (see
 * `unrestricted`). Pure; seconds for thousands of examples.
 * Throws INVALID_INPUT when a split is empty, tune has no label, or no tune example is right; and what `fitLearned`
 * throws.
 */
export function calibrationFrom(
  observations: ArtifactParts['observations'],
  settings: CalibrationSettings,
): Calibration {
  const calibrate = unrestricted(observations.calibrate);
  checkSplit('tune', observations.tune);
  checkSplit('calibrate', calibrate);
  const {
    kind,
    planner,
    wrong,
    documents = documentsAmong(
      Object.values(observations).flatMap((part) => part.map(({ example }) => example)),
    ),
    ...rest
  } = settings;
  const { items } = fitItems(observations.tune, wrong, documents);
  checkLabels(items, observations.tune.length);
  const { score, fit, ...how } =
    kind === 'formula' ? formula(items) : kind === 'learned' ? learnedScore(items) : planned(items, planner!);
  const scored = (examples: readonly Observation[]) =>
    examples.map((each) => scoredWith(score, each, wrong, documentIn(documents, each.example)));
  const thresholds = calibrateActs(
    scored(calibrate),
    requestOf(rest, scored(unrestricted(observations.tune))),
  );
  // A score that does without samples holds without what drew them.
  const sampler = fit.samples?.used === true ? rest.validFor.sampler : null;
  const validFor = { ...rest.validFor, sampler };
  const artifact = buildArtifact({
    ...rest,
    validFor,
    wrong,
    documents,
    observations,
    score,
    fit,
    thresholds,
  });
  return { artifact, unseen: settings.unseen ?? false, ...how };
}

function checkSplit(name: string, observations: readonly Observation[]): void {
  if (observations.length > 0) return;
  throw new PragauraError('INVALID_INPUT', `No example is left for the ${name} split.`, {
    hint:
      'Give more labelled examples, of more than a few documents, or other shares with --split. Queries with a ' +
      'history or filters set no threshold.',
  });
}

function checkLabels(items: readonly FitItem[], examples: number): void {
  const hint = 'Are these labels about the documents of this index?';
  if (items.length === 0) {
    const message = `None of the ${examples} examples of the tune split says what would be a right answer.`;
    throw new PragauraError('INVALID_INPUT', message, {
      hint: 'Give examples with "answers" or "passages".',
    });
  }
  if (items.every((item) => item.wrong)) {
    const message = `All ${items.length} labelled examples of the tune split would be answered wrongly.`;
    throw new PragauraError('INVALID_INPUT', message, { hint });
  }
  if (items.every(({ features }) => features === null)) {
    const message = `Gates are closed for all ${items.length} labelled examples of the tune split: no score answers any.`;
    throw new PragauraError('INVALID_INPUT', message, { hint });
  }
}

type Fitted = Omit<Calibration, 'artifact' | 'unseen'> & { score: UncertaintyScore; fit: Fit };

function formula(items: readonly FitItem[]): Fitted {
  const { score, augrc, tied, surface, temperatures } = fitTempered(items);
  const open = items.filter(({ features }) => features !== null);
  return {
    score,
    learned: null,
    surface,
    fit: {
      examples: open.length,
      groups: new Set(open.map(({ group }) => group)).size,
      aurc: aurc(ranked(items, score))!,
      augrc,
      brier: null,
      logLoss: null,
      ridge: null,
      standardErrors: null,
      tied,
      temperatures,
      samples: null,
    },
  };
}

/** Nothing is fitted here: the planner stands as it is, and tune says how well it ranks. */
function planned(items: readonly FitItem[], planner: string): Fitted {
  const score: UncertaintyScore = { kind: 'planner', planner };
  const ranks = ranked(items, score);
  const open = items.filter(({ features }) => features !== null);
  return {
    score,
    learned: null,
    surface: null,
    fit: {
      examples: open.length,
      groups: new Set(open.map(({ group }) => group)).size,
      aurc: aurc(ranks)!,
      augrc: augrc(ranks)!,
      brier: null,
      logLoss: null,
      ridge: null,
      standardErrors: null,
      tied: null,
      temperatures: null,
      samples: null,
    },
  };
}

function learnedScore(items: readonly FitItem[]): Fitted {
  const { score, report, worth } = fitSampled(items);
  const { fitted, groups, ridge, quality, intercept, coefficients } = report;
  const errors = coefficients.flatMap(({ feature, standardError, missingError }): [string, number][] => [
    [feature, standardError],
    ...(missingError === null ? [] : [[`${feature} missing`, missingError] as [string, number]]),
  ]);
  return {
    score,
    learned: report,
    surface: null,
    fit: {
      examples: fitted,
      groups,
      ...quality,
      ridge,
      standardErrors: Object.fromEntries([['intercept', intercept.standardError], ...errors]),
      tied: null,
      temperatures: null,
      samples: worth,
    },
  };
}

function requestOf(
  {
    target,
    level,
    delta,
    ask,
    ...rest
  }: Pick<CalibrationSettings, 'target' | 'scope' | 'level' | 'delta' | 'ask' | 'exchangeable'>,
  tune: ReturnType<typeof scoredWith>[],
): CalibrationRequest {
  const common = { level, scope: rest.scope, exchangeable: rest.exchangeable };
  switch (target) {
    case 'coverage':
      return { ...common, target };
    case 'risk':
      return { ...common, target, delta: delta!, tune };
    case 'joint':
      return { ...common, target, delta: delta!, tune, ask: ask! };
  }
}
