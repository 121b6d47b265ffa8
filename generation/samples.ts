/** How much answers drawn anew agree: semantic entropy (Farquhar, Kossen, Kuhn and Gal 2024), as a signal of uncertainty. */
import { z } from 'zod';
import { type Scorers, toStatement } from '../scorers/index.ts';
import type { Generator, Message } from './generator.ts';

export const Samples = z.strictObject({
  answers: z.array(z.string()),
  /** Of each answer, the number of those that mean the same as it does, from 0 in order of their first. */
  meanings: z.array(z.number().int().min(0)),
  /** Entropy of the meanings over that of as many different ones, in [0, 1]; 0: all mean the same. Null with fewer than two. */
  semanticEntropy: z.number().min(0).max(1).nullable(),
  /** Share of the answers that mean what most of them do, in [0, 1]; null without any. */
  agreement: z.number().min(0).max(1).nullable(),
  nliPairs: z.number().int().min(0),
});
export type Samples = z.infer<typeof Samples>;

export interface SampleOptions {
  generator: Generator;
  scorers: Pick<Scorers, 'nli' | 'countTokens'>;
  /** What short answers are read in. */
  question: string;
  count: number;
  /** Of each, as the generator counts them, and of our own word pieces: what comes beyond is not taken. */
  maxTokens: number;
  /** Default .7. */
  temperature?: number;
  signal?: AbortSignal | undefined;
  onRequest?: () => void;
}

/**
 * Draws `count` answers to one prompt, by the seeds 1, 2 and so on, and groups them by meaning. Throws as the generator and
 * the scorers do.
 */
export async function sampleAnswers(
  messages: readonly Message[],
  { generator, scorers, question, count, maxTokens, temperature = 0.7, signal, onRequest }: SampleOptions,
): Promise<Samples> {
  const answers: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    let text = '';
    const call = { maxTokens, temperature, seed, signal, ...(onRequest !== undefined && { onRequest }) };
    for await (const piece of generator.generate(messages, call)) {
      if (scorers.countTokens(text + piece) > maxTokens) break;
      text += piece;
    }
    answers.push(text.trim());
  }
  return samplesOf(answers, { scorers, question, signal });
}

interface Grouping extends Pick<SampleOptions, 'question' | 'signal'> {
  scorers: Pick<Scorers, 'nli'>;
}

/** Answers that are there, grouped by meaning. */
export async function samplesOf(answers: readonly string[], options: Grouping): Promise<Samples> {
  const { meanings, nliPairs } = await meaningsOf(answers, options);
  const counts = new Map<number, number>();
  for (const meaning of meanings) counts.set(meaning, (counts.get(meaning) ?? 0) + 1);
  return {
    answers: [...answers],
    meanings,
    semanticEntropy: semanticEntropy(meanings),
    agreement: answers.length === 0 ? null : Math.max(...counts.values()) / answers.length,
    nliPairs,
  };
}

/** -sum p log p over the shares p of each meaning, over log n; null for fewer than two answers. */
export function semanticEntropy(meanings: readonly number[]): number | null {
  const n = meanings.length;
  if (n < 2) return null;
  const counts = new Map<number, number>();
  for (const meaning of meanings) counts.set(meaning, (counts.get(meaning) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / n) * Math.log(count / n);
  return Math.min(1, Math.max(0, entropy / Math.log(n)));
}

/**
 * Each answer joins the first whose first member entails it and is entailed by it, both as statements that answer the
 * question; the same words are the same meaning without asking the model.
 */
async function meaningsOf(
  answers: readonly string[],
  { scorers, question, signal }: Grouping,
): Promise<{ meanings: number[]; nliPairs: number }> {
  const statements = answers.map((answer) => statementOf(question, answer));
  const firsts: string[] = [];
  const meanings: number[] = [];
  let nliPairs = 0;
  for (const own of statements) {
    let found = firsts.findIndex((first) => plain(first) === plain(own));
    for (let i = 0; found < 0 && i < firsts.length; i += 1) {
      const first = firsts[i]!;
      const both = await scorers.nli(
        [
          { premise: first, hypothesis: own },
          { premise: own, hypothesis: first },
        ],
        { signal },
      );
      nliPairs += both.length;
      if (
        both.every(({ entailment, neutral, contradiction }) => entailment > Math.max(neutral, contradiction))
      ) {
        found = i;
      }
    }
    meanings.push(found < 0 ? firsts.push(own) - 1 : found);
  }
  return { meanings, nliPairs };
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A whole sentence as it is; what has no more than a few words is put into the question. */
function statementOf(question: string, answer: string): string {
  const words = answer.trim().split(/\s+/).length;
  return words > SHORT || answer.trim() === '' ? answer : toStatement(question, answer.replace(/[.!]+$/, ''));
}

const SHORT = 8;
