/** Text analysis, and BM25 postings as typed arrays over the segments of an index. */
export { analyse, fold, scanTerms } from './analysis.ts';
export { buildPostings, termsOf } from './build.ts';
export { shareOf } from './field.ts';
export { idf, Lexicon, type QueryTerm, type WeightedTerm } from './lexicon.ts';
export { FIELDS, type FieldName, loadPostings, PARAMETERS } from './load.ts';
export { QUANTITY } from './quantities.ts';
export { TopK } from './top-k.ts';
