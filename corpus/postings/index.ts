/** Text analysis, and BM25 postings as typed arrays over the segments of an index. */
export { analyse, fold, scanTerms } from './analysis.ts';
export { buildPostings } from './build.ts';
export type { Field, QueryTerm } from './field.ts';
export { type FieldName, loadPostings, type Postings } from './load.ts';
export { QUANTITY } from './quantities.ts';
export { TopK } from './top-k.ts';
