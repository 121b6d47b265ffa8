/** From files to an index folder and back. */

export { nameOf } from './backend/address.ts';
export type { Health, Hit, IndexBackend, IndexedPassage, Search, Seen } from './backend/backend.ts';
export { embeddedBackend } from './backend/embedded.ts';
export { Filters } from './backend/filters.ts';
export { checkBackend, engineAt, openBackend, openStaging, publish } from './backend/open.ts';
export { similarity } from './backend/similarity.ts';
export type { Staging } from './backend/staging.ts';
export { buildIndex } from './build-index.ts';
export type {
  BuildOptions,
  IndexProgress,
  IndexReport,
  KeepGraph,
  Made,
  Making,
  Written,
} from './build-options.ts';
export { checkedId, checkedTogether } from './document-ids.ts';
export type { Embed } from './embed-passages.ts';
export {
  buildIdentifiers,
  editDistance,
  headingNumbers,
  type IdentifierTable,
  loadIdentifiers,
  numberByHeading,
  stretchOf,
} from './identifiers/index.ts';
export { type IndexDocumentsOptions, indexDocuments } from './index-documents.ts';
export type { Outcome } from './outcomes.ts';
export { Evidence, Passage, placeOf } from './passages/passage.ts';
export { passageText } from './passages/passage-text.ts';
export { type Range, sentenceAt, sentences } from './passages/sentences.ts';
export { SPLITTER_VERSION, splitDocument } from './passages/split.ts';
export { decodePiece, encodePiece, makePieces } from './pieces/make.ts';
export { batchesOf, keyOf, Piece, piecesOf, readPiece } from './pieces/piece.ts';
export {
  analyse,
  buildPostings,
  fold,
  type Lexicon,
  loadPostings,
  QUANTITY,
  type QueryTerm,
  scanTerms,
} from './postings/index.ts';
export { quantitiesIn } from './postings/quantities.ts';
export { readPassages } from './read-passages.ts';
export { isConcealed } from './readers/hidden/notes.ts';
export { extractHtml } from './readers/html.ts';
export { fileTitle } from './readers/read-file.ts';
export { textBlocks } from './readers/text.ts';
export type { InputFile } from './readers/walk.ts';
export { currentName, writing } from './store/folder.ts';
export {
  discardStaged,
  type GenerationState,
  generationAsOf,
  generationsOf,
  keepGenerations,
  promote,
  rollBack,
} from './store/generations.ts';
export { GRAPH_FILE, GRAPH_PROGRESS, GRAPH_SOURCE, INBOX, KNOWLEDGE } from './store/layout.ts';
export { lock } from './store/lock.ts';
export { openIndex } from './store/open-index.ts';
export { noteReviewed } from './store/reviewed.ts';
export { innermostHeading, isDescription, partsOfTitle, sectionNames } from './structure/entries.ts';
export { alternatives, asOneWord, codeIn, withoutNumber } from './structure/terms.ts';
export type {
  CorpusIndex,
  DocumentEntry,
  HiddenTexts,
  Manifest,
  Part,
  Segments,
  SourceDocument,
} from './types.ts';
export { openView, type Readable } from './view.ts';
