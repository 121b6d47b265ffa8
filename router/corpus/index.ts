/** From files to an index folder and back. */

export { buildIndex } from './build-index.ts';
export type { BuildOptions, IndexProgress, IndexReport } from './build-options.ts';
export { type IdentifierTable, loadIdentifiers } from './identifiers/index.ts';
export { passageText } from './passages/passage-text.ts';
export { sentences } from './passages/sentences.ts';
export { openIndex } from './store/open-index.ts';
export type { CorpusIndex, Part } from './types.ts';
