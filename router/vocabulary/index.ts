/** Terms that the owner of the documents has settled: read from SKOS or a table, found in queries. */
export { openVocabulary } from './open.ts';
export type { VocabularyOptions } from './settings.ts';
export type { Concept, TermMatch, VocabularyReport } from './types.ts';
export { Vocabulary } from './vocabulary.ts';
