import type { Evidence } from '../contracts.ts';
import type { InformationState, StateInput } from '../state/index.ts';

export interface ClarifyInput extends StateInput {
  state: InformationState;
  /** Words of the corpus that an unknown word of the query may have been meant for, nearest first. */
  nearTerms?: ReadonlyMap<string, readonly string[]>;
}

export type VariableKind =
  | 'identifier'
  | 'term'
  | 'reference'
  | 'condition'
  | 'modifier'
  | 'aspect'
  | 'time'
  | 'name'
  | 'subject'
  | 'comparison';

/** A value that the user may choose. `value` stands verbatim in the title or text of each of `passageIds`. */
export interface Option {
  value: string;
  /** Empty only for a value from a list of the whole corpus that no retrieved passage holds. */
  passageIds: string[];
  /** How likely it is meant, in [0, 1], by the evidence alone. */
  weight: number;
  /** The query with this value in it, to be routed again. */
  query: string;
}

/** One question back. */
export interface ClarifyingQuestion {
  kind: VariableKind;
  /** The missing piece, in words of the query or, for a condition, of the passage. */
  variable: string;
  /** One question, in plain words, naming the options. */
  message: string;
  /** At most four, likeliest first. None: the user is asked for words of their own. */
  options: Option[];
  /** Expected information gain in bits, see `expectedGain`; of options without evidence log2 of their number. */
  gain: number;
  /** Expected gain in resolution, Eq. 16, in [0, 1]. */
  resolution: number | null;
  /** What else could have been asked, with its score (gain times the chance of a reply), best first. */
  considered: { kind: VariableKind; variable: string; score: number }[];
}

/** A passage with a place in the posterior: the best one of an independent source. */
export interface Voice {
  passage: Evidence;
  /** Number of the answer that it gives. */
  answer: number;
  /** Probability that it is the one meant; all voices sum to one. */
  p: number;
  /** Where its answer stands in the passage. */
  start: number;
  end: number;
}
