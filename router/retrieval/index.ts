/** Branches over an index, run in parallel under the ledger and fused into absolute scores. */
export { openRetrieval } from './open.ts';
export type {
  Branch,
  BranchRequest,
  Candidate,
  Hit,
  Retrieval,
  RetrievalResult,
  TermCoverage,
} from './types.ts';
