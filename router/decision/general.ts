import { PROVISIONAL, provisionalThresholds } from './provisional.ts';
import type { UncertaintyScore } from './score.ts';
import type { Thresholds } from './types.ts';

/** 1 - P(the passage answers): a steep curve around an even relevance, the plain rule of the cross-encoder. */
const PASSAGE: UncertaintyScore = {
  kind: 'learned',
  intercept: 0,
  inputs: [{ feature: 'bestRelevance', mean: 0.5, scale: 0.25, weight: 1, missing: -4 }],
  isotonic: null,
};
const PASSAGE_TAU = 0.5;

/**
 * The rule that holds until a calibration is given: spans by the provisional rule, and where no span is sure the passage
 * that answers. Nothing is promised.
 */
export function generalThresholds(): Thresholds {
  const { weights, tau } = PROVISIONAL;
  const sentence =
    'Nothing is promised: no calibration was given. General rule: a span is given when every gate is open and ' +
    `U = ${weights.alpha}*D + ${weights.beta}*C + ${weights.gamma}*(1-E) is at most ${tau}; else the passage, when it is ` +
    'likelier than not to answer.';
  return {
    ...provisionalThresholds(),
    passages: { score: PASSAGE, tauFor: () => PASSAGE_TAU },
    sentence: () => sentence,
  };
}
