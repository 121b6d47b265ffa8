/** What a planner says where answers, questions and silences are due more or less often than where it was fitted. */
import { z } from 'zod';
import { PragauraError } from '../../../common/index.ts';
import { ACTIONS } from '../../contracts.ts';
import type { PerAction, PlannerModel } from './model.ts';
import type { PlannerFeatures } from './names.ts';
import { plan } from './plan.ts';

const share = z.number().min(0).max(1);

/** Shares of queries for which each action is right; they sum to one. */
export const Prior = z
  .strictObject({ ANSWER: share, ASK: share, ABSTAIN: share })
  .refine((prior) => Math.abs(ACTIONS.reduce((sum, action) => sum + prior[action], 0) - 1) < 1e-6, {
    message: 'the three shares do not sum to one',
  });

/** Shares of the actions that a planner was fitted on. */
export function fittedPrior({ fitted }: Pick<PlannerModel, 'fitted'>): PerAction {
  if (fitted.prior !== undefined) return fitted.prior;
  const of = (action: (typeof ACTIONS)[number]) => fitted.actions[action] / fitted.rows;
  return { ANSWER: of('ANSWER'), ASK: of('ASK'), ABSTAIN: of('ABSTAIN') };
}

/**
 * Probabilities fitted under one prior as they are under another: p(a) to / from, normalised (Saerens, Latinne and
 * Decaestecker 2002, equation 2.4). What was never seen under the first stays impossible; where nothing is left, what
 * was given stays.
 */
export function underPrior(probabilities: PerAction, from: PerAction, to: PerAction): PerAction {
  const weighed = ACTIONS.map((action) =>
    from[action] > 0 ? (probabilities[action] * to[action]) / from[action] : 0,
  );
  const sum = weighed.reduce((total, each) => total + each, 0);
  if (!(sum > 0)) return probabilities;
  return { ANSWER: weighed[0]! / sum, ASK: weighed[1]! / sum, ABSTAIN: weighed[2]! / sum };
}

/** `plan` under a prior; that of the model where it is null. */
export function planUnder(
  { model, prior }: { model: PlannerModel; prior: PerAction | null },
  features: PlannerFeatures,
): PerAction {
  const probabilities = plan(model, features);
  return prior === null ? probabilities : underPrior(probabilities, fittedPrior(model), prior);
}

const ROUNDS = 1_000;
const STEADY = 1e-9;

/**
 * The shares of the actions in queries of which only a planner's probabilities are known, by expectation and maximisation
 * from those it was fitted on (the same, equation 2.9). Throws INVALID_INPUT for no queries.
 */
export function estimatedPrior(probabilities: readonly PerAction[], from: PerAction): PerAction {
  if (probabilities.length === 0) {
    throw new PragauraError('INVALID_INPUT', 'A prior cannot be estimated from no decisions.');
  }
  let prior = from;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = { ANSWER: 0, ASK: 0, ABSTAIN: 0 };
    for (const each of probabilities) {
      const now = underPrior(each, from, prior);
      for (const action of ACTIONS) next[action] += now[action] / probabilities.length;
    }
    const moved = Math.max(...ACTIONS.map((action) => Math.abs(next[action] - prior[action])));
    prior = next;
    if (moved < STEADY) break;
  }
  return prior;
}
