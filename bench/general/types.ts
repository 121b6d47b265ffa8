import type { Features, PlannerFeatures, Reason } from '../../router/index.ts';
import type { Shown } from '../documents/shown.ts';
import type { Question } from '../documents/types.ts';

/** `html` where the set has pages, else text. */
export interface PoolDocument {
  id: string;
  title: string;
  text: string;
  html?: string;
}

/** A question of the pool. `homes`: documents that answer it; without them nothing does. */
export interface PoolQuestion extends Question {
  homes: readonly string[];
}

/** Documents of one kind with questions about them. */
export interface PoolSet {
  name: string;
  /** In words, for the report: what the documents are, and when what is shown is right. */
  about: string;
  /** As its source states it. */
  licence: string;
  documents: readonly PoolDocument[];
  /** Files and folders that are indexed as they are instead; then there are no `documents`. */
  paths?: readonly string[];
  questions: readonly PoolQuestion[];
  /** Whether questions are made unanswerable by leaving their homes out of the index. */
  removes: boolean;
}

/** What was read of one passage; null where a stage did not look at it. */
export interface ReadPassage {
  relevance: number;
  margin: number | null;
  fused: number;
  entailment: number | null;
  contradiction: number | null;
  /** A person would take it as it stands. */
  right: boolean;
}

/** What was measured of one question, whatever any rule makes of it: a line of the results. */
export interface Measured {
  id: string;
  set: string;
  query: string;
  /** Predicted. */
  act: string;
  /** Gate or layer that closes whatever tau is, by its reason; null: U against tau decides. */
  closed: Reason | null;
  /** The layer that decided; null: none did. */
  layer: string | null;
  /** Whether that layer decided before any model had read anything; what follows was then measured with it off. */
  early: boolean;
  /** Whether the query was taken for several questions; what is here is about the part that leads. */
  several: boolean;
  features: Features;
  /** Of the formula with the provisional weights. */
  U: number | null;
  planning: PlannerFeatures | null;
  /** All that were read, in the order after re-ranking. */
  passages: ReadPassage[];
  /** What would be shown if the best span, or the best passage, were taken for the answer. */
  span: Shown | null;
  passage: Shown | null;
  ms: number;
}
