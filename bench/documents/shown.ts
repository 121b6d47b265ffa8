/** What a decision shows to a person: the one place that knows how an answer is written down. */
import type { Decision } from '../../router/index.ts';
import type { Verdict } from './types.ts';

export interface Shown {
  text: string;
  /** What is quoted from the documents. */
  quotes: readonly string[];
  /** Null where the answer is not a yes or a no. */
  verdict: Verdict | null;
  form: string;
}

/** Null where nothing is shown as an answer. */
export function shownOf({ answer }: Pick<Decision, 'answer'>): Shown | null {
  if (answer === undefined) return null;
  return { text: answer.text, quotes: [answer.text], verdict: null, form: 'span' };
}

/** White space apart. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
