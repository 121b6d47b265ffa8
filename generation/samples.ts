/** How much answers drawn anew agree: semantic entropy (Farquhar, Kossen, Kuhn and Gal 2024), as a signal of uncertainty. */
import { z } from 'zod';
import { canonicalHash, PragauraError } from '../common/index.ts';
import {
  type CalibratedThresholds,
  eachSamplerUnit,
  type SampledOpinion,
  type Sampler,
  type SamplerSettings,
} from '../router/index.ts';
import { type Scorers, toStatement } from '../scorers/index.ts';
import type { Generator, Message } from './generator.ts';
import type { SourcePassage } from './premises.ts';
import { shortPromptOf } from './prompt.ts';

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
 * Draws `count` answers to one prompt, by the seeds 1, 2 and so on, and groups them by meaning. They are asked for together: a
 * model in this process then reads the prompt once. Throws as the generator and the scorers do.
 */
export async function sampleAnswers(
  messages: readonly Message[],
  { generator, scorers, question, count, maxTokens, temperature = 0.7, signal, onRequest }: SampleOptions,
): Promise<Samples> {
  const own = new AbortController();
  const both = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]);
  const draw = async (seed: number): Promise<string> => {
    let text = '';
    const call = {
      maxTokens,
      temperature,
      seed,
      signal: both,
      ...(onRequest !== undefined && { onRequest }),
    };
    for await (const piece of generator.generate(messages, call)) {
      if (scorers.countTokens(text + piece) > maxTokens) break;
      text += piece;
    }
    return text.trim();
  };
  const drawn = Array.from({ length: count }, (_, i) => draw(i + 1));
  try {
    return await samplesOf(await Promise.all(drawn), { scorers, question, signal });
  } catch (error) {
    // One that fails takes the others with it.
    own.abort();
    await Promise.allSettled(drawn);
    throw error;
  }
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

/** Each answer joins the first whose first member means the same as it does. */
async function meaningsOf(
  answers: readonly string[],
  options: Grouping,
): Promise<{ meanings: number[]; nliPairs: number }> {
  const firsts: string[] = [];
  const meanings: number[] = [];
  let nliPairs = 0;
  for (const answer of answers) {
    const found = await meaningOf(answer, firsts, options);
    nliPairs += found.nliPairs;
    meanings.push(found.meaning ?? firsts.push(answer) - 1);
  }
  return { meanings, nliPairs };
}

/**
 * Which of these answers means the same as another one: it entails it and is entailed by it, both as statements that answer
 * the question; the same words are the same meaning without asking the model. Null: none.
 */
async function meaningOf(
  answer: string,
  others: readonly string[],
  { scorers, question, signal }: Grouping,
): Promise<{ meaning: number | null; nliPairs: number }> {
  const own = statementOf(question, answer);
  const statements = others.map((other) => statementOf(question, other));
  const same = statements.findIndex((other) => plain(other) === plain(own));
  if (same >= 0) return { meaning: same, nliPairs: 0 };
  let nliPairs = 0;
  for (const [i, other] of statements.entries()) {
    const pairs = [
      { premise: other, hypothesis: own },
      { premise: own, hypothesis: other },
    ];
    const both = await scorers.nli(pairs, { signal });
    nliPairs += both.length;
    if (
      both.every(({ entailment, neutral, contradiction }) => entailment > Math.max(neutral, contradiction))
    ) {
      return { meaning: i, nliPairs };
    }
  }
  return { meaning: null, nliPairs };
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

/** What may be chosen; the model and the words that it is asked with are as they are. */
type SamplerChoice = Omit<SamplerSettings, 'model' | 'prompt'>;

/** Short answers say the same in few tokens; at a temperature of 0 all would be one. */
export const SAMPLER_SETTINGS: SamplerChoice = {
  count: 5,
  temperature: 0.7,
  passages: 3,
  promptTokens: 1_000,
  generatedTokens: 24,
};

/** A sampler over a generator, which stays open. It holds a language model's short answers against a candidate. */
export function samplerOf(
  generator: Generator,
  scorers: Pick<Scorers, 'nli' | 'countTokens'>,
  chosen: Partial<SamplerChoice> = {},
): Sampler {
  const prompt = canonicalHash(shortPromptOf('', []));
  const settings = { ...SAMPLER_SETTINGS, ...chosen, model: generator.model, prompt };
  const { count, temperature, promptTokens, generatedTokens } = settings;
  const granted = {
    promptTokens: promptTokens * count,
    generatedTokens: generatedTokens * count,
    requests: generator.tries * count,
    // Each answer against each meaning before it, both ways, the candidate's among them.
    samplePairs: count * (count + 1),
  };
  return {
    settings,
    granted,
    async draw({ question, passages, candidate, signal }) {
      const spent = { promptTokens: 0, generatedTokens: 0, requests: 0, samplePairs: 0 };
      const opinion = (found: Pick<SampledOpinion, 'drawn' | 'failure'>): SampledOpinion => ({
        ...found,
        budget: eachSamplerUnit((unit) => ({ granted: granted[unit], spent: spent[unit] })),
      });
      const { messages, tokens } = fitting(question, passages, settings, scorers);
      if (messages === null) {
        const message = `The question leaves no room for a passage in a prompt of ${promptTokens} word pieces.`;
        return opinion({ drawn: null, failure: { code: 'INVALID_INPUT', message } });
      }
      spent.promptTokens = tokens * count;
      try {
        const { answers, meanings, ...samples } = await sampleAnswers(messages, {
          ...{ generator, scorers, question, count, temperature, signal },
          maxTokens: generatedTokens,
          onRequest: () => {
            spent.requests += 1;
          },
        });
        spent.generatedTokens = answers.reduce((sum, text) => sum + scorers.countTokens(text), 0);
        const first = [...new Set(meanings)].map((meaning) => answers[meanings.indexOf(meaning)]!);
        const { meaning, nliPairs } = await meaningOf(candidate, first, { scorers, question, signal });
        spent.samplePairs = samples.nliPairs + nliPairs;
        const same = meanings.filter((each) => each === meaning).length;
        const drawn = {
          meanings,
          semanticEntropy: samples.semanticEntropy!,
          agreement: samples.agreement!,
          support: same / answers.length,
        };
        return opinion({ drawn, failure: null });
      } catch (error) {
        if (!PragauraError.isInstance(error) || error.code !== 'GENERATOR_UNAVAILABLE') throw error;
        return opinion({ drawn: null, failure: error.toJSON() });
      }
    },
  };
}

/**
 * The sampler that a calibration demands; undefined where it does without. Throws CALIBRATION_MISMATCH where the generator is
 * another than it was made with, or there is none.
 */
export function samplerFor(
  thresholds: Pick<CalibratedThresholds, 'validFor'> | undefined,
  generator: Generator | undefined,
  scorers: Pick<Scorers, 'nli' | 'countTokens'>,
): Sampler | undefined {
  const settings = thresholds?.validFor.sampler ?? null;
  if (settings === null) return undefined;
  if (generator?.model === settings.model) return samplerOf(generator, scorers, settings);
  throw new PragauraError(
    'CALIBRATION_MISMATCH',
    `The calibration looks at what ${settings.model} answers, and ${generator === undefined ? 'no language model is at hand' : `here is ${generator.model}`}.`,
    {
      hint: 'Say --generator with that model ("pragaura generate" and "serve" take it), or calibrate without one.',
    },
  );
}

/** The prompt with as many of the passages as it may have and as fit, best first; null where not even one does. */
function fitting(
  question: string,
  passages: readonly SourcePassage[],
  { passages: most, promptTokens }: SamplerSettings,
  scorers: Pick<Scorers, 'countTokens'>,
): { messages: Message[] | null; tokens: number } {
  for (let n = Math.min(most, passages.length); n > 0; n -= 1) {
    const messages = shortPromptOf(question, passages.slice(0, n));
    const tokens = messages.reduce((sum, { content }) => sum + scorers.countTokens(content), 0);
    if (tokens <= promptTokens) return { messages, tokens };
  }
  return { messages: null, tokens: 0 };
}
