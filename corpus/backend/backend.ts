/** What a query reads of an index, whatever holds it. */
import type { IdentifierTable } from '../identifiers/index.ts';
import type { Passage } from '../passages/passage.ts';
import type { FieldName, Lexicon, QueryTerm } from '../postings/index.ts';
import type { DocumentEntry, Manifest, Part } from '../types.ts';
import type { Filters } from './filters.ts';

/** A passage as the index holds it. Its ordinal is its place in the order of documents and their text. */
export interface IndexedPassage {
  readonly ordinal: number;
  readonly passage: Passage;
  /** The parts that overlap it, whole, in the order of the document. */
  readonly parts: readonly Part[];
  /** Unit vector; null while the vectors of the index are still being made. */
  readonly vector: Float32Array | null;
}

/** A passage by its ordinal with an absolute score, higher is better. */
export interface Hit {
  ordinal: number;
  score: number;
}

/**
 * One ranking that is asked for. By words: the BM25 share of the terms within one field, in [0, 1), where `kinds` other
 * than 0 lets only passages through that hold such a quantity (bits of `QUANTITY`). By a vector: the cosine.
 */
export type Search = {
  filters?: Filters | undefined;
  /** Hits at most. */
  k: number;
} & ({ field: FieldName; terms: readonly QueryTerm[]; kinds?: number } | { vector: Float32Array });

/** A passage with what the two general rankings say of it. */
export interface Seen extends IndexedPassage {
  /** BM25 share of the terms in title and text, in [0, 1). */
  readonly lexical: number;
  /** Cosine; null while the vectors of the index are still being made. */
  readonly dense: number | null;
}

export interface Health {
  /** `degraded`: it answers, but a loss would not be made good. */
  state: 'ok' | 'degraded';
  /** Whether this generation is what the name of the index means now, or another is; `gone`: and this one was removed. */
  generation: 'current' | 'superseded' | 'gone';
  /** Something that tells the generation that the name means now from others; null where it means none. */
  current: string | null;
  /** In words, what holds it, in which version, and what ails it. */
  detail: string;
  /** Bytes of this generation where it lies, without copies; null where that is not known. */
  bytes: number | null;
}

export interface Call {
  /** Throws ABORTED when it fires. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which an engine is given up, with BACKEND_UNAVAILABLE. Default: its own. */
  ms?: number | undefined;
}

/**
 * One generation of an index, open for queries. What is small and needed by every query (documents, identifiers, terms with
 * how many passages hold them) is read when it is opened, so that it can be asked without waiting; passages and rankings
 * are asked for in batches, each one round trip. Calls may overlap and do not depend on each other. A backend
 * that is not whole throws BACKEND_UNAVAILABLE: what could not be looked at is never taken for absent.
 */
export interface IndexBackend {
  /** Where it is, for people; without credentials. */
  readonly name: string;
  /** Folder of the generation, which what is made for it (its graph) lies in; null where it is in none. */
  readonly folder: string | null;
  /** Its hash holds the backend and the parameters on which its rankings depend. */
  readonly manifest: Manifest;
  /** In the order of their passages, which is the order of their ids. */
  readonly documents: readonly DocumentEntry[];
  readonly identifiers: IdentifierTable;
  /** Terms of each field, with document frequencies over the whole generation. */
  readonly lexicons: Readonly<Record<FieldName, Lexicon>>;
  /** The hits of each search, best first, ties by ordinal. Throws INTERNAL for a vector of another length than the index has. */
  search(searches: readonly Search[], call?: Call): Promise<Hit[][]>;
  /** Passages with their scores, in the order given; those that the filters keep out are missing. */
  look(
    ordinals: readonly number[],
    query: { terms: readonly QueryTerm[]; vector: Float32Array; filters?: Filters | undefined },
    call?: Call,
  ): Promise<Seen[]>;
  /** Passages by their ordinals, in the order given; ordinals that there are none of are missing. */
  passages(ordinals: readonly number[], call?: Call): Promise<IndexedPassage[]>;
  /** Of each term of `text` the first `most` passages that hold it, by ordinal. */
  holding(terms: readonly string[], most: number, call?: Call): Promise<IndexedPassage[][]>;
  /**
   * The passages that explain each term: whose entry (of a definition list, a table, a paragraph that begins with it in bold)
   * it is, as it is written first; then those that stand directly below a heading of that name.
   */
  entriesOf(terms: readonly string[], call?: Call): Promise<IndexedPassage[][]>;
  /** Throws BACKEND_UNAVAILABLE where it does not answer; a generation that is gone is told and not thrown. */
  health(): Promise<Health>;
  close(): Promise<void>;
}
