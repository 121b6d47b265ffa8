/** The router: from a query to an answer, a question back, or a reasoned abstention. */
export { Decision, ErrorRecord, Evidence, Query, Receipt, Signals } from './contracts.ts';
export { type IndexDocumentsOptions, indexDocuments } from './index-documents.ts';
export { openRouter } from './open-router.ts';
export type {
  CalibratedThresholds,
  Explanation,
  Policy,
  RouteOptions,
  Router,
  RouterOptions,
} from './types.ts';
