/** A planner that was fitted: probabilities of the three actions from everything measured, and the action that costs least. */

export { type ClaimVerdicts, claimPairs, claimVerdicts } from './claims.ts';
export { planningFeatures } from './features.ts';
export { HardGateSettings, hardGate } from './hard-gate.ts';
export { PlannerModel, type PlannerNode, readPlanner, sealed } from './model.ts';
export {
  FEATURE_GROUPS,
  type FeatureGroup,
  PLANNING_FEATURES,
  type PlannerFeatures,
  type PlanningFeature,
} from './names.ts';
export { plan } from './plan.ts';
export {
  byRelevance,
  gated,
  isFinal,
  type PlannerParts,
  planned,
  spanStands,
  stopsPlainRule,
} from './planned.ts';
export { estimatedPrior, fittedPrior, Prior, planUnder, underPrior } from './prior.ts';
export { choose, DEFAULT_UTILITIES } from './utilities.ts';
