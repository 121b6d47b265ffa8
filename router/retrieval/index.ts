/** Branches over an index, run in parallel under the ledger and fused into absolute scores. */
export { pastFor } from './changes.ts';
export { checkEmbedder } from './embedder.ts';
export { besideLinks, type Links, linksOf } from './links.ts';
export { openRetrieval } from './open.ts';
export { FUSED_WEIGHT, rankLogit } from './rank-logit.ts';
export { judged, type Reranked, reranked, rerankedOrder, SURE } from './rerank.ts';
export { rankStage, type Stage } from './stages.ts';
export { type RankedPassage, type RunUnit, trecLines } from './trec.ts';
export type { Candidate, Retrieval, RetrievalResult } from './types.ts';
