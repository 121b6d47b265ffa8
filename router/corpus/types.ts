import type { Genre } from '../../profiles/index.ts';
import type { Passage } from '../contracts.ts';

/**
 * Named blocks of bytes, the unit in which everything large is kept on disk. Each block starts at an offset that
 * is a multiple of 8, so that typed arrays can be laid over it without copying.
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
}

export interface Block {
  start: number;
  end: number;
  /** Headings above, outermost first. */
  headings: readonly string[];
  kind: 'prose' | 'list' | 'table' | 'code';
  /** Where in the source a person finds the block: "12:5" (line:column) or "p. 3". */
  position: string;
}

/** Part of `manifest.json`; every hash is sha256 in hex. */
export interface Manifest {
  schema: 'pragaura.index/1';
  /** Hash over the passages and the parts below: two indexes with the same hash give the same decisions. */
  hash: string;
  createdBy: string;
  counts: { documents: number; passages: number; failed: number; genres: Record<Genre, number> };
  embedder: { name: string; sha256: string; dimension: number };
  segments: Record<string, { file: string; bytes: number; sha256: string }>;
}

/** An index as opened for reading; a passage's ordinal is its place in `passages`. */
export interface CorpusIndex extends SegmentSource {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly passages: readonly Passage[];
  /** Unit vectors, one row a passage: `passages.length * dimension` numbers. */
  readonly vectors: Float32Array;
  readonly dimension: number;
}
