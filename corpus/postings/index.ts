/** Text analysis, and BM25 postings as typed arrays over the segments of an index. */
export { analyse, fold, scanTerms } from './analysis.ts';
export { buildPostings } from './build.ts';
export { Lexicon, type QueryTerm } from './lexicon.ts';
export { type FieldName, loadPostings } from './load.ts';
export { QUANTITY } from './quantities.ts';
export { TopK } from './top-k.ts';
