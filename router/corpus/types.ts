import type { ErrorCode } from '../../errors.ts';
import type { Genre } from '../../profiles/index.ts';
import type { Passage } from '../contracts.ts';

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
  /** The text that offsets refer to: the decoded file for text formats, the extracted text for others. */
  text: string;
  /** Structure found by the parser, in document order, offsets into `text`; passages never cross a block. */
  blocks: readonly Block[];
  /** Where in the source a person finds an offset of `text`: "12:5" (line:column, from 1) or "p. 3". */
  positionAt(offset: number): string;
}

export interface Block {
  start: number;
  end: number;
  /** Headings above, outermost first. */
  headings: readonly string[];
  kind: 'prose' | 'list' | 'table' | 'code';
  /** Of a table: its header row on one line, and where that ends. A passage below it has it in its title. */
  header?: { text: string; end: number };
  /** Never joined with a neighbour, however small: a record of a table, whose cells belong to it alone. */
  alone?: true;
}

/** A file or record that could not be indexed: `name` as a document id would read, `reason` for people. */
export interface Failure {
  name: string;
  code: ErrorCode;
  reason: string;
}

/** One line of `documents.ndjson`. `first` is the ordinal of its first passage; `hash` is over its content. */
export interface DocumentEntry {
  docId: string;
  title: string;
  source: string;
  hash: string;
  first: number;
  passages: number;
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
}

/** An index as opened for reading; a passage's ordinal is its place in `passages`. */
export interface CorpusIndex extends SegmentSource {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly passages: readonly Passage[];
  /** In the order of their passages, which is the order of their ids. */
  readonly documents: readonly DocumentEntry[];
  /** Unit vectors, one row a passage: `passages.length * dimension` numbers. */
  readonly vectors: Float32Array;
  readonly dimension: number;
}
