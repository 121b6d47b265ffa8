/** The port through which a language model's opinion comes in. What draws it lies behind; nothing here knows a generator. */
import { z } from 'zod';
import type { Evidence } from '../corpus/index.ts';

const count = z.number().int().min(0);
const unit = z.number().min(0).max(1);
const Spending = z.strictObject({ granted: count, spent: count });

/** What a language model costs beside a decision: word pieces of our own tokenizer, requests, pairs that answers are told apart by. */
export const SAMPLER_UNITS = ['promptTokens', 'generatedTokens', 'requests', 'samplePairs'] as const;
export type SamplerUnit = (typeof SAMPLER_UNITS)[number];

/** A record with a value for each of these units. */
export function eachSamplerUnit<T>(of: (unit: SamplerUnit) => T): Record<SamplerUnit, T> {
  return Object.fromEntries(SAMPLER_UNITS.map((unit) => [unit, of(unit)])) as Record<SamplerUnit, T>;
}

/** What a sampler found about one query, and what it cost. The answers themselves nobody has verified, and they are not here. */
export const SampledOpinion = z.strictObject({
  /** Null where none could be drawn. */
  drawn: z
    .strictObject({
      /** Of each answer, the number of those that mean the same as it does, from 0 in order of their first. */
      meanings: z.array(count),
      /** Entropy of the meanings over that of as many different ones, in [0, 1]; 0: all mean the same. */
      semanticEntropy: unit,
      /** Share of the answers that mean what most of them do, in [0, 1]. */
      agreement: unit,
      /** Share of the answers that mean what the candidate means, in [0, 1]. */
      support: unit,
    })
    .nullable(),
  /** Why none could be drawn. */
  failure: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }).nullable(),
  /** Nothing is spent beyond what is granted. */
  budget: z.strictObject({
    promptTokens: Spending,
    generatedTokens: Spending,
    requests: Spending,
    samplePairs: Spending,
  }),
});
export type SampledOpinion = z.infer<typeof SampledOpinion>;

/** What opinions are drawn with: a score that looks at them holds for nothing else. */
export const SamplerSettings = z.strictObject({
  model: z.string(),
  /** Hash of the words that it is asked with. */
  prompt: z.string(),
  count: z.number().int().min(2),
  temperature: z.number().min(0),
  /** Passages that an answer is drawn from, at most. */
  passages: count,
  /** Word pieces of a prompt and of an answer, at most. */
  promptTokens: count,
  generatedTokens: count,
});
export type SamplerSettings = z.infer<typeof SamplerSettings>;

export interface Sampler {
  readonly settings: SamplerSettings;
  /** To each query. */
  readonly granted: Readonly<Record<SamplerUnit, number>>;
  /**
   * Draws answers to a question from passages, best first, and holds them against the candidate. What fails at the model is
   * in the opinion; throws ABORTED, and as the scorers do.
   */
  draw(asked: {
    question: string;
    passages: readonly Pick<Evidence, 'text' | 'title'>[];
    candidate: string;
    signal?: AbortSignal | undefined;
  }): Promise<SampledOpinion>;
}
