/** Whether what was said is what a person who knows the documents would take. Pure. */
import { answerF1, answerRecall } from '../../calibration/index.ts';
import { editDistance } from '../../corpus/index.ts';
import type { ContenderOutput } from './asked.ts';
import { countWords, type Shown } from './shown.ts';
import type { Accepted, Question } from './types.ts';

/** What became of a question, by what was due and what was done. */
export const OUTCOMES = [
  'useful',
  'wrong',
  'needless silence',
  'needless question',
  /** Nothing answers it. */
  'right silence',
  'false answer',
  'asked in vain',
  /** It could mean several things. */
  'asked back',
  'guessed',
  'not asked back',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Judged {
  outcome: Outcome;
  /** Whether the verdict is right; null where none was due. Without a verdict it is not. */
  verdict: boolean | null;
  /** Words shared with the best gold answer, in [0, 1], 0 where nothing is shown; null without gold answers. */
  f1: number | null;
  recall: number | null;
  /** Words shown; null where none are. */
  words: number | null;
}

/** Where F1 stands for "a person would take it", when there is nothing to match: the outcome of gold answers. */
const TAKEN_F1 = 0.35;

export function judge(question: Question, said: ContenderOutput): Judged {
  const { golds, verdicts } = question;
  const { shown } = said;
  const text = shown?.text ?? '';
  return {
    outcome: outcomeOf(question, said),
    verdict: verdicts === undefined ? null : shown?.verdict != null && verdicts.includes(shown.verdict),
    f1: golds === undefined ? null : shown === null ? 0 : answerF1(text, golds),
    recall: golds === undefined ? null : shown === null ? 0 : answerRecall(text, golds),
    words: shown === null ? null : countWords(text),
  };
}

function outcomeOf(question: Question, said: ContenderOutput): Outcome {
  const { action, shown } = said;
  switch (question.expect) {
    case 'ABSTAIN':
      return action === 'ANSWER' ? 'false answer' : action === 'ASK' ? 'asked in vain' : 'right silence';
    case 'ASK':
      return action === 'ANSWER' ? 'guessed' : action === 'ASK' ? 'asked back' : 'not asked back';
    case 'ANSWER':
      if (shown !== null) return takes(question, shown) ? 'useful' : 'wrong';
      if (action !== 'ASK') return 'needless silence';
      return question.kind === 'misspelt' && offersSpelling(question.query, said.offered)
        ? 'useful'
        : 'needless question';
  }
}

/** A verdict that is given has to be right; without one what is shown has to match, or to share words with a gold answer. */
export function takes(question: Question, shown: Shown): boolean {
  const { verdicts, accept, parts, golds } = question;
  if (verdicts !== undefined && shown.verdict !== null) return verdicts.includes(shown.verdict);
  if (accept !== undefined) {
    const surfaces = [shown.text, ...quoted(question, shown)].map(inBlanks);
    return surfaces.some(
      (surface) => matches(accept, surface) || (parts?.every((part) => matches(part, surface)) ?? false),
    );
  }
  return golds !== undefined && (answerF1(shown.text, golds) ?? 0) >= TAKEN_F1;
}

/** The quotes together, where one of them lies over a place that is known to answer. Of a span the span has to be right. */
function quoted({ anchors = [] }: Question, { quotes, form }: Shown): string[] {
  if (form === 'span') return [];
  return anchors.some((anchor) => quotes.some((quote) => overlap(quote, anchor))) ? [quotes.join('\n')] : [];
}

function matches(accept: Accepted, text: string): boolean {
  return accept.some((all) => all.every((one) => one.test(text)));
}

function inBlanks(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Words that both have in one run, at least: fewer are found anywhere. */
const SHARED_WORDS = 5;

/** Whether one holds the other, or both hold the same run of words: they are cut from the same place. */
export function overlap(a: string, b: string): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const length = Math.min(SHARED_WORDS, one.length, other.length);
  if (length === 0) return false;
  const runs = new Set(runsOf(one, length));
  return runsOf(other, length).some((run) => runs.has(run));
}

function runsOf(words: readonly string[], length: number): string[] {
  return Array.from({ length: words.length - length + 1 }, (_, at) => words.slice(at, at + length).join(' '));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Shorter words are near too many others. */
const LEAST_LETTERS = 4;

/** Whether one of the values holds a word that is nearly, but not quite, one of the query's. */
function offersSpelling(query: string, offered: readonly string[]): boolean {
  const asked = wordsOf(query).filter((word) => word.length >= LEAST_LETTERS);
  return offered
    .flatMap(wordsOf)
    .filter((word) => word.length >= LEAST_LETTERS && !asked.includes(word))
    .some((word) => asked.some((mine) => editDistance(mine, word, 2) <= 2));
}
