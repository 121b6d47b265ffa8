import type { Generator } from '../../../generation/index.ts';
import type { Budget } from '../../../profiles/index.ts';
import type { Query, Router } from '../../../router/index.ts';
import type { Scorers } from '../../../scorers/index.ts';
import type { Spent } from '../items.ts';

export interface Tools {
  /** Uniform under the whole budget, and under half of it. */
  whole: Router;
  half: Router;
  budget: Budget;
  scorers: Scorers;
  generator: Generator | undefined;
}

/** `tokens`: word pieces of passages that the uniform policy read of this question under the whole budget. */
export interface Asked extends Pick<Query, 'id' | 'query'> {
  tokens: number;
}

/** What a way of answering came to. Data: a line of the results. */
export interface Attempt {
  /** The answer that it would give; null: none. */
  text: string | null;
  /** What its threshold may look at, by name: the lower, the surer, in [0, 1]; null where it could not be measured. */
  uncertainty: Record<string, number | null>;
  /** Share of the claim's words that its passage holds; null where there is none. */
  support: number | null;
  /** Documents in the order in which it found them. */
  docs: string[];
  spent: Spent;
  /** Whether a second look came to another answer; absent where there was none. */
  changed?: boolean;
}

export type Pipeline = (asked: Asked, tools: Tools) => Promise<Attempt>;
