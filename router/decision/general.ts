import { logit, sigmoid } from '../../common/index.ts';
import type { Act } from '../../profiles/index.ts';
import { GENERAL } from './general-fit.ts';
import { PROVISIONAL, provisionalThresholds } from './provisional.ts';
import type { GeneralFit, Thresholds } from './types.ts';

/** What is taken where nothing is said: a wrong answer costs four fifths of what a right one is worth. */
export const CAUTIOUS = 0.45;

/** What a wrong answer costs where a right one is worth 1: 0 at a `cautious` of 0, 1 at .5, 4 at 1. */
export function costOf(cautious: number): number {
  return (2 * cautious) ** 2;
}

/** Least probability of being right at which an answer is worth its risk. */
export function leastOf(cautious: number): number {
  const cost = costOf(cautious);
  return cost / (1 + cost);
}

/**
 * The rule that holds until a calibration is given: a span that is surely right, else the passage when it is likely enough to
 * be, else a span that is, by what was fitted on public sets. Nothing is promised. `cautious`, in [0, 1]: see
 * `costOf`; what is less likely right than `leastOf` is not given. `models`: of the
 * router; others than those that were measured are named.
 */
export function generalThresholds(
  cautious: number = CAUTIOUS,
  models: Readonly<Record<string, string>> = GENERAL.models,
): Thresholds {
  const least = leastOf(cautious);
  const sentence = sentenceOf(cautious, models);
  return {
    ...provisionalThresholds(),
    tauFor: (act) => spanBar(least, act),
    passages: {
      score: {
        kind: 'learned',
        intercept: GENERAL.passage.intercept,
        inputs: [...GENERAL.passage.inputs],
        isotonic: null,
      },
      spanFor: (act) => spanBar(Math.max(least, GENERAL.floor), act),
      tauFor: (act) => 1 - sigmoid(logit(least) - (GENERAL.passage.shifts[act] ?? 0)),
      explains: least <= leastOf(CAUTIOUS),
    },
    sentence: () => sentence,
  };
}

/** The largest U of which a span is right with this probability; in [0, 1]. */
function spanBar(probability: number, act: Act): number {
  const { intercept, inputs, shifts } = GENERAL.span;
  const [{ mean, scale, weight }] = inputs as readonly [(typeof inputs)[number]];
  const U = mean + (scale * (logit(probability) - intercept - (shifts[act] ?? 0))) / weight;
  return Math.min(1, Math.max(0, U));
}

function sentenceOf(cautious: number, models: GeneralFit['models']): string {
  const { sets, questions, answerable, measured } = GENERAL;
  const near = measured.reduce((best, each) =>
    Math.abs(each.cautious - cautious) < Math.abs(best.cautious - cautious) ? each : best,
  );
  const { alpha, beta, gamma } = PROVISIONAL.weights;
  const other = Object.entries(GENERAL.models).some(([job, model]) => (models[job] ?? model) !== model);
  return (
    'Nothing is promised here: no calibration was given. General rule: a span when every gate is open and ' +
    `U = ${alpha}*D + ${beta}*C + ${gamma}*(1-E) is low enough, or the passage when it is likely enough to answer. ` +
    `Measured elsewhere, on ${sets.length} public sets that it was not fitted on (${questions} questions, ` +
    `${answerable} with an answer): at a caution of ${near.cautious} it answered ${near.answered.toFixed(2)} of the ` +
    `questions, and ${near.wrong.toFixed(2)} of the answers were wrong.${other ? ' That was with other models.' : ''}`
  );
}
