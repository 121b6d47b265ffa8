import { type PlannerFeatures, type PlannerModel, plan } from '../../router/index.ts';
import type { Observation } from '../types.ts';

/** The observations with what this planner makes of each; null where nothing was retrieved. Pure. */
export function plannedBy(planner: PlannerModel, observations: readonly Observation[]): Observation[] {
  return observations.map((observation) => ({
    ...observation,
    planned:
      // Measured by this very program, or the cache would not have given it: the names are those of today.
      observation.planning === null ? null : plan(planner, observation.planning as PlannerFeatures),
  }));
}
