/** The Vercel AI SDK: the documents as a tool, and a gate before any of its language models. */
import { randomUUID } from 'node:crypto';
import { type LanguageModelMiddleware, type Tool, tool } from 'ai';
import { z } from 'zod';
import { PragauraError } from '../common/index.ts';
import { type Generation, type GenerationBudget, type Generator, isWorded } from '../generation/index.ts';
import type { Decision, Router } from '../router/index.ts';
import type { Scorers } from '../scorers/index.ts';
import { ASK_DESCRIPTION, queryOf, quotedPassages, shownText, wordedTurn } from '../server/turns.ts';

type Call = Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0];
type Model = Call['model'];
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
type Finish = Extract<Part, { type: 'finish' }>;

const AskInput = z.object({ question: z.string().min(1).describe('The question, in the words of the user') });

/** What the tool gives: the decision as its words, and where they come from. */
export interface Asked
  extends Pick<Decision, 'action' | 'answer' | 'clarification' | 'abstention' | 'caveats'> {
  /** What a person would be shown. */
  text: string;
  sources: { docId: string; passageId: string; title: string }[];
}

/**
 * A tool with which a model asks the documents, and gets an answer in quotes, a question for the user, or why there is no
 * answer. Its execution throws as `Router.route`.
 */
export function askTool(router: Pick<Router, 'route'>): Tool<z.infer<typeof AskInput>, Asked> {
  return tool({
    description: ASK_DESCRIPTION,
    inputSchema: AskInput,
    execute: async ({ question }, { abortSignal }): Promise<Asked> => {
      const query = { id: randomUUID(), query: question };
      const decision = await router.route(query, abortSignal === undefined ? {} : { signal: abortSignal });
      const { action, answer, clarification, abstention, caveats, evidence } = decision;
      const quoted = quotedPassages(decision);
      return {
        ...{ action, answer, clarification, abstention, caveats },
        text: shownText(decision),
        sources: evidence
          .filter(({ passageId }) => quoted.has(passageId))
          .map(({ docId, passageId, title }) => ({ docId, passageId, title })),
      };
    },
  });
}

export interface GateOptions {
  router: Pick<Router, 'route'>;
  /** Hold what the model says against the quotes. */
  scorers: Scorers;
  budget?: Partial<GenerationBudget>;
  /** Whether the model words answers of the band LOW too, of which only the passage is sure; default false. */
  lowBand?: boolean;
}

/**
 * A middleware that decides each turn before the model sees it. A question back and why not are the turn, and nothing is
 * asked of the model; an answer is worded by it from the quotes alone, and what they do not bear out is taken out, or the
 * turn is the quotes. The record is `{decision, generation}` in the provider metadata `pragaura`. System messages, tools and
 * settings of the call are passed over. The call rejects with INVALID_INPUT where the last turn is no text of the user's,
 * and as `Router.route`.
 */
export function gate(options: GateOptions): LanguageModelMiddleware {
  return {
    specificationVersion: 'v3',
    wrapStream: async (call) => {
      const gone = new AbortController();
      const parts = partsOf(options, call, gone.signal);
      const stream = new ReadableStream<Part>({
        pull: async (controller) => {
          const { done, value } = await parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async (reason) => {
          gone.abort(reason);
          await parts.return();
        },
      });
      return { stream };
    },
    wrapGenerate: async (call) => {
      let text = '';
      for await (const part of partsOf(options, call)) {
        if (part.type === 'text-delta') text += part.delta;
        if (part.type !== 'finish') continue;
        const { type: _, ...end } = part;
        return { content: [{ type: 'text' as const, text }], warnings: [], ...end };
      }
      throw new PragauraError('INTERNAL', 'The turn has no end.');
    },
  };
}

/** The turn as the SDK has it. `gone`: fires when nobody reads it any more. */
async function* partsOf(
  options: GateOptions,
  { model, params: { prompt, abortSignal } }: Pick<Call, 'params' | 'model'>,
  gone?: AbortSignal,
): AsyncGenerator<Part, void> {
  const signals = [abortSignal, gone].filter((each) => each !== undefined);
  const turn = turnOf(options, prompt, model, AbortSignal.any(signals));
  // What fails before the first words is thrown and not a part of a turn that has begun.
  let next = await turn.next();
  const id = '0';
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id };
  while (!next.done) {
    if (next.value !== '') yield { type: 'text-delta', id, delta: next.value };
    next = await turn.next();
  }
  yield { type: 'text-end', id };
  yield next.value;
}

/** The pieces of what is shown, then how it ends. */
async function* turnOf(
  { router, scorers, budget, lowBand }: GateOptions,
  prompt: Call['params']['prompt'],
  model: Model,
  signal: AbortSignal,
): AsyncGenerator<string, Finish> {
  const query = queryOf(randomUUID(), prompt.map(plain));
  const decision = await router.route(query, { signal });
  if (!isWorded(decision, { lowBand })) {
    yield shownText(decision);
    return finished(decision, null);
  }
  const generator = generatorOf(model);
  const worded = wordedTurn(decision, { generator, scorers, signal, lowBand, ...(budget && { budget }) });
  return finished(decision, yield* worded);
}

function finished(decision: Decision, generation: Generation | null): Finish {
  const { promptTokens, generatedTokens } = generation?.usage ?? { promptTokens: 0, generatedTokens: 0 };
  const none = { noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return {
    type: 'finish',
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: promptTokens ?? undefined, ...none },
      outputTokens: { total: generatedTokens ?? undefined, text: undefined, reasoning: undefined },
    },
    // Records are JSON.
    providerMetadata: { pragaura: JSON.parse(JSON.stringify({ decision, generation })) },
  };
}

/** A message as a turn in words. */
function plain({ role, content }: Call['params']['prompt'][number]): { role: string; content: string } {
  if (typeof content === 'string') return { role, content };
  if (role === 'user' && content.some(({ type }) => type !== 'text')) {
    throw new PragauraError('INVALID_INPUT', 'A turn of the user holds other content than text.', {
      hint: 'Send files to the documents, and questions here.',
    });
  }
  return { role, content: content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n') };
}

const ENDINGS = { length: 'length', 'content-filter': 'refusal', 'tool-calls': 'tool_calls' } as const;

/** A model of the SDK as what words an answer; it is asked for nothing but text. */
function generatorOf(model: Model): Generator {
  const unavailable = (cause: unknown) =>
    new PragauraError('GENERATOR_UNAVAILABLE', `The language model ${model.modelId} does not answer.`, {
      hint: 'The answer is its quotes.',
      cause,
    });
  return {
    model: model.modelId,
    tries: 1,
    async close() {},
    async *generate(messages, { maxTokens, temperature = 0, seed, signal, onRequest }) {
      let usage = { promptTokens: null as number | null, generatedTokens: null as number | null };
      let ending: 'stop' | 'length' | 'refusal' | 'tool_calls' = 'stop';
      try {
        onRequest?.();
        const { stream } = await model.doStream({
          prompt: messages.map(({ role, content }) =>
            role === 'system'
              ? { role, content }
              : { role, content: [{ type: 'text' as const, text: content }] },
          ),
          maxOutputTokens: maxTokens,
          temperature,
          ...(seed !== undefined && { seed }),
          ...(signal && { abortSignal: signal }),
        });
        for await (const part of stream) {
          if (part.type === 'text-delta') yield part.delta;
          if (part.type === 'error') throw part.error;
          if (part.type !== 'finish') continue;
          const { unified } = part.finishReason;
          if (unified === 'error') throw new Error('the model stopped because of an error');
          if (unified !== 'stop' && unified !== 'other') ending = ENDINGS[unified];
          const { inputTokens, outputTokens } = part.usage;
          usage = {
            promptTokens: inputTokens.total ?? null,
            generatedTokens: outputTokens.total ?? null,
          };
        }
      } catch (error) {
        if (signal?.aborted) throw new PragauraError('ABORTED', 'The caller has gone.', { cause: error });
        throw unavailable(error);
      }
      return { ending, usage };
    },
  };
}
