/** The scoring room: everything that runs a model. */
export { openScorers } from './runtime/open.ts';
export * from './signals/index.ts';
export type {
  CallOptions,
  Entailment,
  Job,
  PremiseHypothesis,
  Provider,
  QueryPassage,
  Reading,
  Relevance,
  Scorers,
  ScorersInfo,
  ScorersOptions,
  Span,
} from './types.ts';
