/** The scoring room: everything that runs a model. */
export { type BareRun, bareRunOf } from './runtime/bare-run.ts';
export { modelNames } from './runtime/identity.ts';
export { PROVIDER_PARITY } from './runtime/known-pairs.ts';
export { openScorers } from './runtime/open.ts';
export * from './signals/index.ts';
export type {
  Batch,
  Job,
  ModelChoice,
  Provider,
  QueryPassage,
  Reading,
  Relevance,
  Scorers,
  ScorersInfo,
  ScorersOptions,
} from './types.ts';
