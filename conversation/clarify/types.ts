import type { Evidence } from '../../corpus/index.ts';
import type { Act } from '../../profiles/index.ts';
import type { InformationState, StateInput } from '../state/index.ts';
import type { AskedQuestion, VariableKind } from './record.ts';

export interface ClarifyInput extends StateInput {
  state: InformationState;
  /** Absent: whatever is asked, it has one answer. */
  act?: { readonly label: Act };
  /** Words of the corpus that an unknown word of the query may have been meant for, nearest first. */
  nearTerms?: ReadonlyMap<string, readonly string[]>;
}

/** One question back. */
export interface ClarifyingQuestion extends AskedQuestion {
  /** One question, in plain words, naming the options. */
  message: string;
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
