import type { BranchName, Genre } from '../../profiles/index.ts';
import type { Lease } from '../budget/index.ts';
import type { Filters } from '../contracts.ts';

/** A passage by its ordinal in the index, with one branch's absolute score (higher is better). */
export interface Hit {
  ordinal: number;
  score: number;
}

export interface BranchRequest {
  query: string;
  /** Unit vector of the query, from the embedder that made the index. */
  vector: Float32Array;
  filters?: Filters | undefined;
  /** Each hit handed over spends one `docsScored` of it: a branch returns at most what the lease holds. */
  lease: Lease;
  signal?: AbortSignal | undefined;
}

/** One way of finding passages. Retrieves at most as many as its lease allows, best first, ties by ordinal. */
export interface Branch {
  readonly name: BranchName;
  retrieve(request: BranchRequest): Promise<Hit[]>;
}

/** A passage after fusion. `fused` is absolute in [0, 1]; `branchScores` are each branch's own. */
export interface Candidate {
  ordinal: number;
  fused: number;
  branchScores: Partial<Record<BranchName, number>>;
  genre: Genre;
}

/** How far the words of a query are known to the corpus; input of the gates. */
export interface TermCoverage {
  /** Content terms of the query. */
  terms: string[];
  /** Those that occur nowhere in the corpus. */
  unknown: string[];
  /** Share of the query's idf mass that occurs in the corpus at all, in [0, 1]; 1 for a query without terms. */
  known: number;
}
