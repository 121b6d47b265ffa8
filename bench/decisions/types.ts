import type { Action, Query } from '../../router/index.ts';
import type { Half } from '../datasets/halves.ts';
import type { DataDocument } from '../datasets/types.ts';

/** A query whose right action is known. */
export interface DecisionQuery {
  id: string;
  query: string;
  history?: NonNullable<Query['history']>;
  /** What the user has given the query to be answered from; absent: the whole index. */
  filters?: { docId: string[] };
  action: Action;
  /** An action that counts as right as well: where documents conflict, one may ask or abstain. */
  also?: Action;
  /** What is never split between tuning and reporting: article, contract, rule text. */
  group: string;
  /** Where the set itself says which half; absent: by the hash of the group. */
  half?: Half;
  /** Texts that count as the answer; absent where the set has none that a passage could hold. */
  answers?: readonly string[];
  /** Where the query was taken from, for sets that take from several. */
  source: string;
  /** Its terms allow weights that are fitted on it to be published. What is not fitted on is reported, in either half. */
  fits: boolean;
}

export interface DecisionSet {
  /** In words: what it is, what stands for its documents, and by what rule its labels became actions. */
  about: string;
  documents: readonly DataDocument[];
  /** A vocabulary as CSV, which is consulted beside the documents. */
  vocabulary?: string;
  /** Layers of the router that measures, where a set is about what happens without one. */
  layers?: object;
  queries: readonly DecisionQuery[];
}
