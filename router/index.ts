/** The router: from a query to an answer, a question back, or a reasoned abstention. */

export { type ErrorCode, PragauraError } from '../common/index.ts';
export { ClarificationRequest, hasRecoverable } from '../conversation/index.ts';
export {
  type CorpusIndex,
  type IdentifierTable,
  type IndexDocumentsOptions,
  loadIdentifiers,
  openIndex,
  type Part,
  type Passage,
  publish,
  sentences,
} from '../corpus/index.ts';
export { Answer, actByForm } from './answer/index.ts';
export {
  ACTIONS,
  type Action,
  Decision,
  ErrorRecord,
  Evidence,
  MadeWith,
  Plan,
  Query,
  REASONS,
  type Reason,
  Receipt,
  Signals,
  StageReport,
  Utilities,
} from './contracts.ts';
export {
  asksBack,
  byRelevance,
  CAUTIOUS,
  choose,
  costOf,
  DEFAULT_UTILITIES,
  decide,
  estimatedPrior,
  FEATURE_GROUPS,
  FEATURES,
  type FeatureGroup,
  type FeatureName,
  type Features,
  fittedPrior,
  generalThresholds,
  HardGateSettings,
  hardGate,
  isFinal,
  leastOf,
  linearPredictor,
  MEASURED_FEATURES,
  type Measured,
  PLANNING_FEATURES,
  type PlannerFeatures,
  PlannerModel,
  type PlannerNode,
  type PlanningFeature,
  plan,
  provisionalThresholds,
  readPlanner,
  SAMPLE_FEATURES,
  scoreOf,
  sealed,
  silenceOf,
  spanStands,
  stopsPlainRule,
  type Temperatures,
  type Thresholds,
  tempered,
  UncertaintyScore,
  uncertainty,
  underPrior,
} from './decision/index.ts';
export { indexDocuments } from './index-documents.ts';
export { addressesMachine, collectionOf, LAYERS, type LayerName, LayerSettings } from './layers/index.ts';
export { openPlanner } from './open-planner.ts';
export { openRouter } from './open-router.ts';
export { ParsedQuestion } from './parsed.ts';
export {
  loadPoisonDetector,
  POISON_BUCKETS,
  POISON_MODEL,
  POISON_WEIGHTS,
  PoisonDetector,
  type PoisonHeader,
  poisonFeatures,
  shippedPoisonDir,
  stretchesOf,
} from './poison/index.ts';
export {
  eachSamplerUnit,
  SAMPLER_UNITS,
  SampledOpinion,
  type Sampler,
  SamplerSettings,
  type SamplerUnit,
} from './sampler.ts';
export {
  type CalibratedThresholds,
  DECIDERS,
  type Decider,
  type Explanation,
  type Policy,
  type RouteOptions,
  type Router,
  type RouterOptions,
  type ValidFor,
} from './types.ts';
export { DIFFERING } from './valid-for.ts';
