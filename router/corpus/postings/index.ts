/** Text analysis, and BM25 postings as typed arrays over the segments of an index. */
export { analyse } from './analysis.ts';
export { buildPostings } from './build.ts';
export type { Field } from './field.ts';
export { loadPostings, type Postings } from './load.ts';
export { QUANTITY } from './quantities.ts';
export { TopK } from './top-k.ts';
