import { PragauraError } from '../../common/index.ts';
import { type Action, asksBack, type Reason, scoreOf, type Thresholds } from '../../router/index.ts';
import type { Observation } from '../types.ts';

/** What thresholds make of an observation. */
export interface Applied {
  /** Null: the query could not be decided (`error`). */
  action: Action | null;
  /** Why not answered; null for an answer and for an error. `UNCERTAIN` stands for U above tau, whatever the words. */
  reason: Reason | null;
  /** In [0, 1]; null where nothing could be scored. */
  U: number | null;
  tau: number | null;
}

/**
 * The decision that the router makes of this query with these thresholds, from what was measured: a closed gate, an
 * act without tau, no U and U > tau are not answered, and asked back up to the band for asking, where there is one. The words of a decision are not made anew.
 * The gate stands as it was measured: the observation must have been made with the limits of `thresholds`.
 * Throws CONFIGURATION for a threshold outside [0, 1], and what `scoreOf` throws.
 */
export function applied(observation: Observation, thresholds: Thresholds): Applied {
  const { error, act, closed, features, asks, candidate, defined } = observation;
  if (error !== null || act === null) return { action: null, reason: null, U: null, tau: null };
  if (defined === true) return { action: 'ANSWER', reason: null, U: null, tau: null };
  const U = features === null ? null : scoreOf(thresholds.score, features, observation);
  const tau = bar(thresholds.tauFor(act), act);
  const refused = (reason: Reason, ask: boolean): Applied => ({
    action: ask ? 'ASK' : 'ABSTAIN',
    reason,
    U,
    tau,
  });
  if (closed !== null) return refused(closed, asks === true);
  if (features === null || U === null || candidate === null) return refused('UNCERTAIN', false);
  if (tau !== null && U <= tau) return { action: 'ANSWER', reason: null, U, tau };
  const band = bar(thresholds.askUpTo?.(act) ?? null, act);
  const asked = asksBack(thresholds.score, features, observation, band);
  return refused('UNCERTAIN', asked ?? (tau !== null && asks === true));
}

function bar(value: number | null, act: string): number | null {
  if (value === null || (value >= 0 && value <= 1)) return value;
  throw new PragauraError(
    'CONFIGURATION',
    `The threshold for ${act} is ${value}, which is not between 0 and 1.`,
    { hint: 'Calibrate anew.' },
  );
}
