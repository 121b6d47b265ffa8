/** What a decision shows to a person: the one place that knows how an answer is written down. */
import type { Decision } from '../../router/index.ts';
import type { Verdict } from './types.ts';

type Answer = NonNullable<Decision['answer']>;

export interface Shown {
  text: string;
  /** What is quoted from the documents. */
  quotes: readonly string[];
  /** Null where the answer is not a yes or a no. */
  verdict: Verdict | null;
  /** As the record has it; `parts` of several questions in one, each in a form of its own. */
  form: string;
  band: Answer['band'];
  /** What was left out, in words; null: nothing was. */
  cut: string | null;
}

/** Null where the whole is not answered: of two questions in one, half an answer is none. */
export function shownOf({
  action,
  answer,
  parts,
}: Pick<Decision, 'action' | 'answer' | 'parts'>): Shown | null {
  if (action !== 'ANSWER') return null;
  if (answer !== undefined) {
    const { text, quotes, verdict, form, band, cut } = answer;
    return { text, quotes: quotes.map((quote) => quote.text), verdict, form, band, cut };
  }
  const answers = parts.flatMap((part) => part.answer ?? []);
  if (answers.length === 0) return null;
  return {
    text: answers.map(({ text }) => text).join('\n\n'),
    quotes: answers.flatMap(({ quotes }) => quotes.map(({ text }) => text)),
    verdict: null,
    form: 'parts',
    band: answers.some(({ band }) => band === 'LOW') ? 'LOW' : 'HIGH',
    cut: answers.find(({ cut }) => cut !== null)?.cut ?? null,
  };
}

/** Between white space. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
