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
  FEATURES,
  type FeatureName,
  type Features,
  provisionalThresholds,
  scoreOf,
  type Thresholds,
  UncertaintyScore,
} from './decision/index.ts';
export { type IndexDocumentsOptions, indexDocuments } from './index-documents.ts';
export { openRouter } from './open-router.ts';
export type {
  CalibratedThresholds,
  Decider,
  Explanation,
  PlannerFeatures,
  Policy,
  RouteOptions,
  Router,
  RouterOptions,
  ValidFor,
} from './types.ts';
