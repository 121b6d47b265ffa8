/** A router as a worker sees it. */

import { type ActClassifier, loadActClassifier } from '../../router/acts/index.ts';
import { Ledger } from '../../router/budget/index.ts';
import { decide } from '../../router/decision/index.ts';
import {
  type CalibratedThresholds,
  type Decision,
  provisionalThresholds,
  type Query,
  type Router,
} from '../../router/index.ts';
import { chooseAnswer, planNli, signalsFrom } from '../../scorers/index.ts';
import { configurationOf } from '../queue/index.ts';
import type { Decider } from './types.ts';

/**
 * What a worker needs of an opened router. `thresholds`: those that it was opened with. Throws MODEL_UNUSABLE when the
 * classifier of speech acts cannot be read.
 */
export async function deciderOf(router: Router, thresholds?: CalibratedThresholds): Promise<Decider> {
  const acts = await loadActClassifier();
  return {
    configuration: configurationOf(router),
    made: { ...router.validFor, calibration: router.versions.calibration },
    route: (query, options) => router.route(query, options),
    expired: (query) => expired(query, router, acts, thresholds),
    budgetMs: router.validFor.budget.ms,
  };
}

/** What the router says of a query whose deadline passes before anything was looked at. */
function expired(
  query: Query,
  { validFor, versions }: Pick<Router, 'validFor' | 'versions'>,
  acts: Pick<ActClassifier, 'classify'>,
  thresholds: CalibratedThresholds | undefined,
): Decision {
  const act = acts.classify(query.query, null);
  const answers = chooseAnswer(query.query, []);
  const outcome = decide(
    {
      query: query.query,
      act,
      evidence: [],
      coverage: { terms: [], unknown: [], known: 1 },
      identifiers: [],
      answers,
      report: signalsFrom([], answers, planNli(query.query, [], answers, 0), []),
      deadlineExceeded: true,
    },
    thresholds ?? provisionalThresholds(),
  );
  return {
    schema: 'pragaura.decision/1',
    id: query.id,
    query: query.query,
    action: outcome.action,
    act,
    evidence: [],
    ...(outcome.clarification && { clarification: outcome.clarification }),
    ...(outcome.abstention && { abstention: outcome.abstention }),
    signals: outcome.signals,
    U: outcome.U,
    tau: outcome.tau,
    guarantee: outcome.guarantee,
    receipt: new Ledger({ ...validFor.budget, ms: shownMs(query, validFor.budget.ms) }, () => 0).receipt(),
    timings: { total: 0 },
    versions,
  };
}

/** The wall-clock limit that a receipt shows: the caller's or the budget's, whichever is the smaller. */
export function shownMs({ deadlineMs }: Query, budgetMs: number | null): number | null {
  if (deadlineMs === undefined) return budgetMs;
  return Math.min(deadlineMs, budgetMs ?? Number.POSITIVE_INFINITY);
}
