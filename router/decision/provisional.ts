import type { Thresholds } from './types.ts';

/** The rule that holds until a calibration artifact is given: set by eye, promises nothing. */
export const PROVISIONAL = {
  weights: { alpha: 0.3, beta: 0.3, gamma: 0.4 },
  tau: 0.5,
} as const;

/** The provisional rule as thresholds: status NOT_CALIBRATED. */
export function provisionalThresholds(): Thresholds {
  return {
    status: 'NOT_CALIBRATED',
    weights: PROVISIONAL.weights,
    tauFor: () => PROVISIONAL.tau,
    sentence: () => 'Nothing is promised: no calibration was given.',
  };
}
