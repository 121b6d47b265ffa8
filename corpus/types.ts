import type { ErrorCode } from '../common/index.ts';
import type { Genre } from '../profiles/index.ts';
import type { Passage } from './passages/passage.ts';

/**
 * Named blocks of bytes, the unit in which everything large is kept on disk: one file each, read into a buffer of its
 * own, so that typed arrays can be laid over it without copying.
 */
export type Segments = Readonly<Record<string, Uint8Array>>;

/** Reads a block back. Throws INDEX_UNUSABLE when the manifest does not name it. */
export interface SegmentSource {
  segment(name: string): Uint8Array;
}

/** A document as a reader leaves it: its text and where that text came from. */
export interface SourceDocument {
  docId: string;
  title: string;
  source: string;
  /** The text that offsets refer to: the decoded file of plain text and tables, the extracted text of others. */
  text: string;
  /** Structure found by the parser, in document order, offsets into `text`; passages never cross a block. */
  blocks: readonly Block[];
  /** The same in full, ordered by `start`, what holds others before them. */
  parts: readonly Part[];
  /** Nothing but an index or a table of contents: it stays out. */
  index?: true;
  /** What its file holds and its reader does not see. */
  hidden?: HiddenTexts;
  /** Where in the source a person finds an offset of `text`: "12:5" (line:column, from 1) or "p. 3". */
  positionAt(offset: number): string;
}

/**
 * How text is kept from the reader of a document. `a comment` and `alternative text` are usual and say nothing bad of it;
 * they are noted because they are no evidence either.
 */
export const HIDDEN_KINDS = [
  'not displayed',
  'of the colour behind it',
  'too small to read',
  'outside of the page',
  'without ink',
  'invisible characters',
  'a comment',
  'alternative text',
] as const;
export type HiddenKind = (typeof HIDDEN_KINDS)[number];

/** `count`: all stretches that were found; `texts`: the first of them, cut short, and where they stand. */
export interface HiddenTexts {
  count: number;
  texts: readonly { kind: HiddenKind; text: string; position: string }[];
}

export interface Block {
  start: number;
  end: number;
  /** Headings above, outermost first. */
  headings: readonly string[];
  kind: 'prose' | 'list' | 'table' | 'code';
  /** Of a table: its header row on one line, and where that ends. A passage below it has it in its title. */
  header?: { text: string; end: number };
  /** Joined to what comes after it, not before: a title that is no heading. */
  leads?: true;
  /** Never joined with a neighbour, however small: a record of a table, whose cells belong to it alone. */
  alone?: true;
  /** An entry of a definition list, a passage of its own; its term is the last of its headings. */
  entry?: true;
  /** Entries within it, passages of their own where the whole is too long to be one. */
  entries?: readonly Block[];
}

/**
 * One thing that the author marked up, with where it stands in the document's text. What holds others (an item with
 * a list in it, the description of a term) reaches to the end of them; a bullet or number is not part of it.
 */
export interface Part {
  kind: PartKind;
  start: number;
  end: number;
  /** How many lists it stands in, its own not counted; of a heading its level less one. */
  depth: number;
  /** Number of its list or table within the document, from 1; null outside of any. */
  list: number | null;
  /** Its place in the list or table, from 1, the same for the terms and the descriptions of one entry; 0: a table's header. */
  position: number | null;
  /** Its list is numbered. */
  ordered: boolean;
  /**
   * What it is about, on one line: of a term itself, of a description its terms, of a row its first cell, of a
   * paragraph or item what it begins with in bold; else null.
   */
  term: string | null;
}

export const PART_KINDS = ['paragraph', 'item', 'term', 'description', 'row', 'code', 'heading'] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** A file or record that could not be indexed: `name` as a document id would read, `reason` for people. */
export interface Failure {
  name: string;
  code: ErrorCode;
  reason: string;
}

/** A document that could be read and has nothing of its own to say; `of` is the id of the one that it is again. */
export interface LeftOut {
  name: string;
  reason: string;
  of: string | null;
}

/** One line of `documents.ndjson`. `first` is the ordinal of its first passage; `hash` is over its content. */
export interface DocumentEntry {
  docId: string;
  title: string;
  source: string;
  hash: string;
  first: number;
  passages: number;
  /** What its file holds and its reader does not see; absent where nothing was found. In no passage. */
  hidden?: HiddenTexts;
}

export interface SegmentEntry {
  /** Name of the file beside the manifest. */
  file: string;
  bytes: number;
  sha256: string;
}

/** Content of `manifest.json`; every hash is sha256 in hex. */
export interface Manifest {
  schema: 'pragaura.index/1';
  /** Hash over the passages and the parts below: two indexes with the same hash give the same decisions. */
  hash: string;
  createdBy: string;
  counts: { documents: number; passages: number; failed: number; genres: Record<Genre, number> };
  embedder: { name: string; sha256: string; dimension: number };
  /** What decides how text is cut; another setting means another index. */
  settings: { maxTokens: number; splitter: number; analysis: number };
  segments: Record<string, SegmentEntry>;
  /**
   * Only while vectors are still being made: passages that had none when this was written. The index then holds no vector
   * at all and is searched by words alone.
   */
  pending?: number;
}

/** An index as opened for reading; a passage's ordinal is its place in `passages`. */
export interface CorpusIndex extends SegmentSource {
  readonly dir: string;
  /** Folder of its generation; null for a part of an index, which is written nowhere. */
  readonly folder: string | null;
  readonly manifest: Manifest;
  readonly passages: readonly Passage[];
  /** In the order of their passages, which is the order of their ids. */
  readonly documents: readonly DocumentEntry[];
  /** Unit vectors, one row a passage: `passages.length * dimension` numbers; none while `manifest.pending` is there. */
  readonly vectors: Float32Array;
  readonly dimension: number;
  /** The parts that overlap a passage, whole, in the order of the document. */
  partsOf(ordinal: number): readonly Part[];
  /**
   * Ordinals of the passages that explain a term: whose entry (of a definition list, a table, a paragraph that begins
   * with it in bold) it is, as it is written first; then those that stand directly below a heading of that name.
   */
  entriesOf(term: string): readonly number[];
}
