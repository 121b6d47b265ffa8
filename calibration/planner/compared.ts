/** What planners, thresholds and the simplest rule do with labelled queries, beside what is right. */
import {
  type Action,
  choose,
  type PlannerFeatures,
  type PlannerModel,
  plan,
  provisionalThresholds,
  type Utilities,
} from '../../router/index.ts';
import { applied } from '../evaluation/applied.ts';
import { rightActionOf } from '../labels/examples.ts';
import { type ActionFigures, actionFigures } from '../metrics/actions.ts';
import type { BootstrapOptions } from '../metrics/intervals.ts';
import { type Documents, documentIn } from '../splits/documents.ts';
import type { Observation } from '../types.ts';
import { isSettled } from './from-observations.ts';

/** What a policy does with an observation; null: it could not be decided. */
type Policy = (observation: Observation) => Action | null;

export interface Compared {
  policy: string;
  figures: ActionFigures;
}

/** Figures of each policy on these observations, the planner at hand first; empty without observations. Pure. */
export function compared(
  observations: readonly Observation[],
  documents: Documents,
  { own, shipped }: Record<'own' | 'shipped', PlannerModel>,
  options: BootstrapOptions = {},
): Compared[] {
  if (observations.length === 0) return [];
  const policies: [string, Policy][] = [
    ['this planner', byPlanner(own, own.utilities)],
    ['shipped planner', byPlanner(shipped, own.utilities)],
    ['provisional thresholds', byThresholds],
    ['always answer', ({ error }) => (error === null ? 'ANSWER' : null)],
  ];
  return policies.map(([policy, of]) => ({
    policy,
    figures: actionFigures(
      observations.map((observation) => ({
        group: documentIn(documents, observation.example),
        gold: rightActionOf(observation.example)!,
        said: of(observation),
        misread: null,
      })),
      options,
    ),
  }));
}

const byThresholds: Policy = (observation) => applied(observation, provisionalThresholds()).action;

/** As the router does with `--decider planner` (`planned`): what nobody weighs stays, and only what was read is answered. */
export function byPlanner(model: PlannerModel, utilities: Utilities): Policy {
  return (observation) => {
    const { error, planning, candidate } = observation;
    if (error !== null || planning === null || isSettled(observation)) return byThresholds(observation);
    const stands = candidate !== null && candidate.text.trim() !== '' && candidate.claim.trim() !== '';
    return choose(plan(model, planning as PlannerFeatures), utilities, stands);
  };
}
