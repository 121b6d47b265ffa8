/** An answer in a model's words behind the gate: only for a decision to answer, and only what its quotes bear out. */
import { z } from 'zod';
import { PragauraError } from '../common/index.ts';
import { actByForm, type Decision, ErrorRecord } from '../router/index.ts';
import type { Scorers } from '../scorers/index.ts';
import { type CitedSentence, sentencesOf } from './claims.ts';
import type { FactualityThresholds } from './factuality.ts';
import type { Ending, Generator, Usage } from './generator.ts';
import type { SourcePassage } from './premises.ts';
import { costOf, type Prices } from './prices.ts';
import { promptOf, questionOf, quotesOf } from './prompt.ts';
import { Verification } from './record.ts';
import { Samples, sampleAnswers } from './samples.ts';
import { type JudgedSentence, sourcesOf, verificationOf, verifySentence } from './verify.ts';

/** Word pieces of the prompt, and of what is generated, at most. */
export interface GenerationBudget {
  promptTokens: number;
  generatedTokens: number;
}

export const GENERATION_BUDGET: GenerationBudget = { promptTokens: 3_000, generatedTokens: 400 };

const count = z.number().int().min(0);
const Spending = z.strictObject({ granted: count, spent: count });

export const Generation = z.strictObject({
  schema: z.literal('pragaura.generation/2'),
  /** `generated`: every sentence of `text` was borne out; `partial`: so far as it came; `quotes`: the answer is the quotes. */
  status: z.enum(['generated', 'partial', 'quotes']),
  /** What is shown; marks of citation are numbers of `quotes`. */
  text: z.string(),
  quotes: z.array(z.strictObject({ text: z.string(), title: z.string().optional() })),
  /** What came from the generator, so far as it came, before anything was taken out; a turn of a chat does not have it. */
  generated: z.string().optional(),
  /** Why nothing of it, or not all, could be taken from the generator; null: nothing was missing. */
  reason: z
    .enum(['NOTHING_SUPPORTED', 'REFUSED', 'TOOL_CALLS', 'CUT', 'PROMPT_TOO_LONG', 'GENERATOR_FAILED'])
    .nullable(),
  failure: ErrorRecord.shape.error.nullable(),
  model: z.string(),
  /** Of `generated`; its labels say what became of each sentence. */
  verification: Verification,
  /** How much further answers to the same prompt agree; null: none was asked for, or the generator failed. */
  samples: Samples.nullable(),
  /** In word pieces of our own tokenizer; `usage` is what the server counted. */
  budget: z.strictObject({ promptTokens: Spending, generatedTokens: Spending, requests: Spending }),
  usage: z.strictObject({ promptTokens: count.nullable(), generatedTokens: count.nullable() }),
  /** By the table of prices that was given, of what the server counted, else of our own word pieces; null: no price is known. */
  cost: z.strictObject({ amount: z.number().min(0), currency: z.string() }).nullable(),
});
export type Generation = z.infer<typeof Generation>;

export interface GenerateOptions {
  generator: Generator;
  scorers: Pick<Scorers, 'nli' | 'countTokens'>;
  /** Under which a promise is made of the sentences that are kept; see `checkFactuality`, which is the caller's. */
  factuality?: FactualityThresholds | undefined;
  budget?: Partial<GenerationBudget>;
  /** Whether answers of the band LOW are worded too, of which it is not sure which words of their passage answer; default false. */
  lowBand?: boolean | undefined;
  /** Further answers drawn to the same prompt, whose agreement is put on record; default 0. Each has the budget of the first. */
  samples?: number | undefined;
  /** What tokens cost; left out: `cost` is null. */
  prices?: Prices | undefined;
  signal?: AbortSignal | undefined;
}

/** Whether a decision is one that a generator is asked about: to answer, and surely or else by option. */
export function isWorded(
  { action, answer }: Pick<Decision, 'action' | 'answer'>,
  { lowBand = false }: Pick<GenerateOptions, 'lowBand'>,
): boolean {
  return action === 'ANSWER' && answer !== undefined && (answer.band === 'HIGH' || lowBand);
}

/** What stands between the sentences of an answer: a list of things has lines, the rest is a paragraph. */
export function joinerOf(form: NonNullable<Decision['answer']>['form']): string {
  return form === 'list' || form === 'steps' ? '\n' : ' ';
}

/**
 * Generates the answer of a decision and yields each sentence as soon as it is verified; gives the record. Null, and
 * nothing is asked of the generator, where `isWorded` says no. What fails at the generator is on the record and the
 * answer is its quotes; throws ABORTED and SCORING_FAILED.
 */
export async function* generateAnswer(
  decision: Decision,
  { generator, scorers, factuality, prices, samples = 0, signal, ...options }: GenerateOptions,
): AsyncGenerator<string, Generation | null> {
  const { answer } = decision;
  if (answer === undefined || !isWorded(decision, options)) return null;
  const budget = { ...GENERATION_BUDGET, ...options.budget };
  const question = questionOf(decision);
  const promised = { factuality, act: actByForm(question, decision.act.label) };
  const tokensOf = (quotes: readonly SourcePassage[]) =>
    promptOf(question, quotes, answer.form).reduce(
      (sum, { content }) => sum + scorers.countTokens(content),
      0,
    );
  const quotes = quotesOf(decision);
  while (quotes.length > 0 && tokensOf(quotes) > budget.promptTokens) quotes.pop();

  const text = new SentenceStream();
  const judged: JudgedSentence[] = [];
  const shown: string[] = [];
  const spent = { promptTokens: 0, generatedTokens: 0, requests: 0 };
  let usage: Usage = { promptTokens: null, generatedTokens: null };
  let drawn: Samples | null = null;
  const record = (reason: Generation['reason'], failure: Generation['failure'] = null): Generation => {
    const nothing = shown.length === 0;
    return {
      schema: 'pragaura.generation/2',
      status: nothing ? 'quotes' : reason === null ? 'generated' : 'partial',
      text: nothing ? answer.text : shown.join(joinerOf(answer.form)),
      quotes: quotes.map(({ text, title }) => ({ text, ...(title !== undefined && { title }) })),
      generated: text.whole,
      reason: nothing ? (reason ?? 'NOTHING_SUPPORTED') : reason,
      failure,
      model: generator.model,
      verification: verificationOf(judged, promised),
      samples: drawn,
      budget: {
        promptTokens: { granted: budget.promptTokens * (1 + samples), spent: spent.promptTokens },
        generatedTokens: { granted: budget.generatedTokens * (1 + samples), spent: spent.generatedTokens },
        requests: { granted: generator.tries * (1 + samples), spent: spent.requests },
      },
      usage,
      cost: costOf(prices, generator.model, spent, usage),
    };
  };
  if (quotes.length === 0) return record('PROMPT_TOO_LONG');

  const sources = sourcesOf(quotes, question);
  /** Null: it may not be shown. Throws nothing of its own. */
  const verified = async (sentence: CitedSentence): Promise<string | null> => {
    const one = await verifySentence(sentence, sources, { scorers, signal, ...promised });
    judged.push(one);
    const { label, faults, quotes: by } = one.sentence;
    // A wrong citation alone does no harm: the right ones are put in its place.
    if (label !== 'supported' || faults.some(({ fault }) => fault !== 'OTHER_PASSAGE')) return null;
    const marks = [...new Set(by.map(({ passage }) => `[${passage}]`))].join('');
    return sentence.text.replace(/\s*([.!]?)$/, ` ${marks}$1`);
  };

  spent.promptTokens = tokensOf(quotes);
  const onRequest = () => {
    spent.requests += 1;
  };
  const pieces = generator.generate(promptOf(question, quotes, answer.form), {
    maxTokens: budget.generatedTokens,
    signal,
    onRequest,
  });
  let ending: Ending | 'over' | null = null;
  let failure: PragauraError | null = null;
  /** Books a sentence; false where the budget does not hold it. */
  const booked = (sentence: CitedSentence): boolean => {
    const tokens = scorers.countTokens(sentence.text);
    if (spent.generatedTokens + tokens > budget.generatedTokens) return false;
    spent.generatedTokens += tokens;
    return true;
  };
  try {
    while (ending === null) {
      const next = await nextOf(pieces).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        failure = error;
        return null;
      });
      if (next === null) break;
      if (next.done) ({ ending, usage } = next.value);
      const ready = next.done ? text.end(ending === 'stop') : text.push(next.value);
      for (const sentence of ready) {
        if (!booked(sentence)) {
          ending = 'over';
          break;
        }
        const released = await verified(sentence);
        if (released === null) continue;
        shown.push(released);
        yield released;
      }
      // A server that heeds no limit and ends no sentence.
      if (ending === null && text.waiting > budget.generatedTokens * CHARS_A_TOKEN) ending = 'over';
    }
  } finally {
    await pieces.return({ ending: 'stop', usage });
  }
  const reason = failure !== null ? 'GENERATOR_FAILED' : ending === null ? 'CUT' : REASON_OF[ending];
  if (failure === null && samples > 0) {
    spent.promptTokens += samples * tokensOf(quotes);
    try {
      drawn = await sampleAnswers(promptOf(question, quotes, answer.form), {
        ...{ generator, scorers, question, signal, onRequest },
        count: samples,
        maxTokens: budget.generatedTokens,
      });
      spent.generatedTokens += drawn.answers.reduce((sum, text) => sum + scorers.countTokens(text), 0);
    } catch (error) {
      // The answer itself is there.
      if (!isUnavailable(error)) throw error;
      failure = error;
    }
  }
  return record(reason, (failure as PragauraError | null)?.toJSON() ?? null);
}

const isUnavailable = (error: unknown): error is PragauraError =>
  PragauraError.isInstance(error) && error.code === 'GENERATOR_UNAVAILABLE';

const REASON_OF: Readonly<Record<Ending | 'over', Generation['reason']>> = {
  stop: null,
  length: 'CUT',
  over: 'CUT',
  refusal: 'REFUSED',
  tool_calls: 'TOOL_CALLS',
};

/** No language model needs more characters for a token in prose. */
const CHARS_A_TOKEN = 16;

const nextOf = async <T, R>(pieces: AsyncGenerator<T, R>) => await pieces.next();

/** Cuts text that comes in pieces into sentences, each given once it is surely whole. */
class SentenceStream {
  /** All that came. Offsets of sentences are into it. */
  whole = '';
  #from = 0;

  /** Characters that wait for the rest of their sentence. */
  get waiting(): number {
    return this.whole.length - this.#from;
  }

  push(piece: string): CitedSentence[] {
    this.whole += piece;
    const cut = this.#cut();
    // What comes next may be a citation, or show that a full stop was none.
    const last = cut.at(-1);
    if (last === undefined || cut.length < 2 || !BEGUN.test(this.whole.slice(last.start))) return [];
    this.#from = last.start;
    return cut.slice(0, -1);
  }

  /** What is left; `whole`: the text was not cut off, so that its last sentence needs no full stop. */
  end(whole: boolean): CitedSentence[] {
    const cut = this.#cut();
    this.#from = this.whole.length;
    return whole ? cut : cut.filter(({ text }) => /[.!?]["'”’)]*$/.test(text));
  }

  #cut(): CitedSentence[] {
    return sentencesOf(this.whole.slice(this.#from)).map((sentence) => ({
      ...sentence,
      start: sentence.start + this.#from,
      end: sentence.end + this.#from,
    }));
  }
}

/** Two words and the beginning of a third, none of them a citation. */
const BEGUN = /^[^[\s][^\s]*\s+[^[\s]+\s+\S/;
