/** Gates, then U against tau: answer, ask or abstain. Pure functions. */

export { decide, precheck, screenQuery } from './decide.ts';
export {
  FEATURES,
  type FeatureName,
  type Features,
  featuresOf,
  MEASURED_FEATURES,
  SAMPLE_FEATURES,
} from './features.ts';
export { CAUTIOUS, costOf, generalThresholds, leastOf } from './general.ts';
export type { DecisionInput } from './input.ts';
export { answerOf } from './parts.ts';
export {
  byRelevance,
  type ClaimVerdicts,
  choose,
  claimPairs,
  claimVerdicts,
  DEFAULT_UTILITIES,
  estimatedPrior,
  FEATURE_GROUPS,
  type FeatureGroup,
  fittedPrior,
  gated,
  HardGateSettings,
  hardGate,
  isFinal,
  PLANNING_FEATURES,
  type PlannerFeatures,
  PlannerModel,
  type PlannerNode,
  type PlannerParts,
  type PlanningFeature,
  Prior,
  plan,
  planned,
  planningFeatures,
  planUnder,
  readPlanner,
  sealed,
  spanStands,
  stopsPlainRule,
  underPrior,
} from './planner/index.ts';
export { PROVISIONAL, provisionalThresholds } from './provisional.ts';
export { thresholdsFor } from './restricted.ts';
export { asksBack, linearPredictor, type Measured, scoreOf, silenceOf, UncertaintyScore } from './score.ts';
export { type Temperatures, tempered } from './temperatures.ts';
export type { Outcome, Thresholds } from './types.ts';
export { uncertainty } from './uncertainty.ts';
