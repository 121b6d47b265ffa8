import type { Hit, IndexedPassage } from '../../corpus/index.ts';
import type { AllocationProfile, BranchName, Genre } from '../../profiles/index.ts';
import type { Lease, Ledger } from '../budget/index.ts';
import type { Filters } from '../contracts.ts';
import type { Titles } from './titles.ts';

export type { Hit };

export interface BranchRequest {
  query: string;
  /** Unit vector of the query, from the embedder that made the index. */
  vector: Float32Array;
  filters?: Filters | undefined;
  /** Each hit handed over spends one `docsScored` of it: a branch returns at most what the lease holds. */
  lease: Lease;
  /** Hits of this query that were handed over under an earlier lease: the branch goes on after them. Default 0. */
  skip?: number | undefined;
  /** Throws ABORTED when it fires. */
  signal?: AbortSignal | undefined;
}

/**
 * A passage after fusion. `fused` is absolute in [0, 1]. `branchScores`: of the branches that handed it over, each
 * branch's own. `lexical` and `dense`: what those two say of it, whichever branch found it; `dense` is null where the index
 * has no vectors yet.
 */
export interface Candidate {
  ordinal: number;
  fused: number;
  lexical: number;
  dense: number | null;
  branchScores: Partial<Record<BranchName, number>>;
  genre: Genre;
  /** The passage itself. */
  indexed: IndexedPassage;
  /** What it adds to `rankLogit` that the question, or a passage that was read, names this document; absent: nothing does. */
  link?: number;
}

export interface RetrievalRequest {
  query: string;
  /** Unit vector of the query, from the embedder that made the index. */
  vector: Float32Array;
  filters?: Filters | undefined;
  /** How many passages each branch may hand over, which genres are preferred, and who takes what is left over. */
  allocation: AllocationProfile;
  ledger: Ledger;
  signal?: AbortSignal | undefined;
}

export interface RetrievalResult {
  /** Everything that a branch handed over, once, best first. */
  candidates: Candidate[];
  byBranch: Partial<Record<BranchName, Hit[]>>;
}

/** Retrieval over one opened index; calls may overlap, their results do not depend on it. */
export interface Retrieval {
  /** Names of the documents; null where they have too few to lead anywhere. */
  readonly titles: Titles | null;
  /** One branch alone: as many hits as its lease allows at most, best first, ties by ordinal. */
  find(name: BranchName, request: BranchRequest): Promise<Hit[]>;
  /** Throws ABORTED when the signal fires. */
  retrieve(request: RetrievalRequest): Promise<RetrievalResult>;
  /**
   * The best passage of each document (place in `index.documents`) as a candidate that no branch handed over, in the
   * order given; documents that the filters keep out are missing. Spends nothing: that is for who takes them.
   */
  candidatesOf(documents: readonly number[], request: Omit<RetrievalRequest, 'ledger'>): Promise<Candidate[]>;
  coverage(query: string): TermCoverage;
  /** See `spellingsOf`; `isWord` tells words that are no slips. */
  spellings(
    unknown: readonly string[],
    isWord: (word: string) => boolean,
    signal?: AbortSignal,
  ): Promise<Spelling[]>;
}

/** A word that the corpus does not know, as a slip of words that it knows. */
export interface Spelling {
  /** Folded. */
  written: string;
  /** Likeliest first, at most three. */
  near: string[];
  /** The one that is clearly meant; null: none is. */
  meant: string | null;
}

/** How far the words of a query are known to the corpus; input of the gates. */
export interface TermCoverage {
  /** Content words of the query, folded, each once. */
  terms: string[];
  /** Those that occur nowhere in the corpus. */
  unknown: string[];
  /** Share of the query's idf mass that occurs in the corpus at all, in [0, 1]; 1 for a query without terms. */
  known: number;
}
