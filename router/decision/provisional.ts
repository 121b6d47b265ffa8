import type { Limits, Thresholds, Weights } from './types.ts';

/**
 * The rule that holds until a calibration artifact is given. Set by looking at a handful of documents, it promises
 * nothing; every decision made by it says NOT_CALIBRATED.
 */
export const PROVISIONAL: { weights: Weights; tau: number; limits: Limits } = {
  /** U = alpha*D + beta*C + gamma*(1-E). */
  weights: { alpha: 0.3, beta: 0.3, gamma: 0.4 },
  /** Answer when U <= tau, for every act alike. */
  tau: 0.5,
  limits: {
    queryChars: 4_000,
    relevanceFloor: 0.05,
    lexicalSupport: 0.5,
    knownTerms: 0.5,
    conflict: 0.4,
    margin: 0,
    entailment: 0.2,
  },
};

/** The provisional rule as thresholds: status NOT_CALIBRATED. */
export function provisionalThresholds(): Thresholds {
  const { weights, tau, limits } = PROVISIONAL;
  const sentence =
    'Nothing is promised: no calibration was given. Provisional rule: answer when every gate is open and ' +
    `U = ${weights.alpha}*D + ${weights.beta}*C + ${weights.gamma}*(1-E) is at most ${tau}.`;
  return { status: 'NOT_CALIBRATED', weights, limits, tauFor: () => tau, sentence: () => sentence };
}
