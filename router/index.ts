/** The router: from a query to an answer, a question back, or a reasoned abstention. */
export {
  ACTIONS,
  type Action,
  Decision,
  ErrorRecord,
  Evidence,
  Query,
  REASONS,
  type Reason,
  Receipt,
  Signals,
  Utilities,
} from './contracts.ts';
export {
  choose,
  DEFAULT_UTILITIES,
  decide,
  FEATURE_GROUPS,
  FEATURES,
  type FeatureGroup,
  type FeatureName,
  type Features,
  HardGateSettings,
  hardGate,
  isFinal,
  PLANNING_FEATURES,
  type PlannerFeatures,
  PlannerModel,
  type PlannerNode,
  type PlanningFeature,
  plan,
  provisionalThresholds,
  readPlanner,
  scoreOf,
  sealed,
  spanStands,
  type Thresholds,
  UncertaintyScore,
} from './decision/index.ts';
export { type IndexDocumentsOptions, indexDocuments } from './index-documents.ts';
export { LAYERS, type LayerName, LayerSettings } from './layers/index.ts';
export { openRouter } from './open-router.ts';
export type {
  CalibratedThresholds,
  Decider,
  Explanation,
  Policy,
  RouteOptions,
  Router,
  RouterOptions,
  ValidFor,
} from './types.ts';
