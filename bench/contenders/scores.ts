/** What an answer's uncertainty may be made of, on the records of one arm; fitted on the tune split. Pure. */
import {
  type FitItem,
  fitFormula,
  fitItems,
  fitLearned,
  fitLogistic,
  isotonicMap,
  isWrong,
  type Observation,
  withoutSamples,
} from '../../calibration/index.ts';
import { sigmoid } from '../../common/index.ts';
import type { UncertaintyScore } from '../../router/index.ts';

/** Weights of D, C and E that nobody fits. */
const FIXED = {
  'D alone': { alpha: 1, beta: 0, gamma: 0 },
  'C alone': { alpha: 0, beta: 1, gamma: 0 },
  'E alone': { alpha: 0, beta: 0, gamma: 1 },
  'equal weights': { alpha: 1 / 3, beta: 1 / 3, gamma: 1 / 3 },
} as const;
type Fixed = keyof typeof FIXED;

/** P(right) as a curve over the reader's score of the answer. */
const overReader = (intercept: number, weight: number): Extract<UncertaintyScore, { kind: 'learned' }> => ({
  kind: 'learned',
  intercept,
  inputs: [{ feature: 'answerScore', mean: 0, scale: 1, weight, missing: 0 }],
  isotonic: null,
});

/**
 * `formula`: U of the paper with fitted weights, whole, without one signal, or with weights that nobody fitted. `reader`: the order of the reader's score of the answer. `Platt` and
 * `isotonic`: the reader's score as a probability (Platt 1999; pooled adjacent violators). `learned`: all features.
 */
export const SCORES = [
  'formula',
  'without D',
  'without C',
  'without E',
  ...(Object.keys(FIXED) as Fixed[]),
  'reader',
  'Platt',
  'isotonic',
  'learned',
] as const;
export type ScoreName = (typeof SCORES)[number];

/** Hardly any: but with it a slope exists where scores part right from wrong completely. */
const RIDGE = 0.01;

const wrong = (observation: Observation) =>
  observation.error === null ? isWrong(observation, { kind: 'em' }) : null;

/** Throws INVALID_INPUT without labelled examples, or too few. */
export function fitted(name: ScoreName, tune: readonly Observation[]): UncertaintyScore {
  if (name in FIXED) return { kind: 'formula', weights: FIXED[name as Fixed] };
  const items = fitItems(tune, wrong).items.map(withoutSamples);
  switch (name) {
    case 'reader':
      return overReader(0, 1);
    case 'learned':
      return fitLearned(items).score;
    case 'Platt':
      return platt(items);
    case 'isotonic': {
      const score = platt(items);
      const open = items.flatMap((item) => {
        const answerScore = item.features?.answerScore;
        if (answerScore == null) return [];
        const [{ weight }] = score.inputs as [(typeof score.inputs)[number]];
        return [{ p: sigmoid(score.intercept + weight * answerScore), right: !item.wrong }];
      });
      const knots = isotonicMap(
        open.map(({ p }) => p),
        open.map(({ right }) => right),
      );
      return { ...score, isotonic: knots };
    }
    default:
      return fitFormula(items, name === 'formula' ? {} : { without: [name.slice(-1) as 'D' | 'C' | 'E'] })
        .score;
  }
}

/** By logistic regression. Where surer answers are wrong more often its slope is below 0, and the order turned round. */
function platt(items: readonly FitItem[]): Extract<UncertaintyScore, { kind: 'learned' }> {
  const open = items.flatMap(({ features, wrong }) =>
    features?.answerScore == null ? [] : [{ score: features.answerScore, wrong }],
  );
  const [intercept, weight] = fitLogistic({
    rows: open.map(({ score }) => Float64Array.of(score)),
    right: open.map((each) => !each.wrong),
    ridge: RIDGE,
  });
  return overReader(intercept!, weight!);
}
