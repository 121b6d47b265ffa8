/** A language model in this process: a GGUF file, run by node-llama-cpp where that is installed. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf, PragauraError } from '../common/index.ts';
import type { Generator, GeneratorLimits } from './generator.ts';

export interface LocalGeneratorOptions {
  /** The file; its chat template is the model's own. */
  file: string;
  /** Tokens of a prompt and its answer together, as the model counts them. Default 4,096, or all that it takes. */
  contextTokens?: number;
  /** Default: one a core, at most 4. More than there are cores take fifty times as long. */
  threads?: number | undefined;
  limits?: Partial<Pick<GeneratorLimits, 'totalMs'>>;
}

/** What is used of node-llama-cpp 3: an optional peer, whose types need not be there. */
interface Peer {
  getLlama(options: object): Promise<Llama>;
  LlamaChatSession: new (options: object) => ChatSession;
}
interface Llama {
  loadModel(options: { modelPath: string; loadSignal?: AbortSignal }): Promise<Model>;
  dispose(): Promise<void>;
}
interface Model {
  readonly trainContextSize: number;
  tokenize(text: string): readonly unknown[];
  createContext(options: { contextSize: number; threads?: number }): Promise<{ getSequence(): Sequence }>;
}
interface Sequence {
  tokenMeter: {
    getState(): object;
    diff(before: object): { usedInputTokens: number; usedOutputTokens: number };
  };
}
interface ChatSession {
  promptWithMeta(text: string, options: object): Promise<{ stopReason: string }>;
  dispose(): void;
}

const NAME = 'node-llama-cpp';
const CONTEXT_TOKENS = 4_096;
const TOTAL_MS = 120_000;
/** What a chat template puts round a prompt, at most. */
const TEMPLATE_TOKENS = 64;

/**
 * Opens the file, one answer at a time: further ones wait their turn. Throws NOT_FOUND; CONFIGURATION where node-llama-cpp
 * is not installed, or the file is no model that it runs, or cut short.
 */
export async function openLocalGenerator(options: LocalGeneratorOptions): Promise<Generator> {
  const { file } = options;
  const model = `${path.basename(file)}@${(await hashOf(file)).slice(0, 12)}`;
  const { getLlama, LlamaChatSession } = await peer();
  const threads = options.threads ?? Math.min(4, availableParallelism());
  const llama = await getLlama({
    // Compiling llama.cpp is nothing that a command should begin by itself.
    build: 'never',
    gpu: false,
    maxThreads: threads,
    logLevel: 'disabled',
    progressLogs: false,
  });
  let loaded: Model;
  let sequence: Sequence;
  let contextTokens: number;
  try {
    loaded = await llama.loadModel({ modelPath: file });
    contextTokens = Math.min(options.contextTokens ?? CONTEXT_TOKENS, loaded.trainContextSize);
    const context = await loaded.createContext({ contextSize: contextTokens, threads });
    sequence = context.getSequence();
  } catch (error) {
    await llama.dispose();
    throw new PragauraError('CONFIGURATION', `${file} cannot be run: ${messageOf(error)}.`, {
      hint: 'Is it a whole GGUF file of a chat model? Fetch it anew, and compare its size and hash with what its source says.',
      cause: error,
    });
  }
  const totalMs = options.limits?.totalMs ?? TOTAL_MS;
  let turn: Promise<unknown> = Promise.resolve();

  return {
    model,
    tries: 1,
    async *generate(messages, { maxTokens, temperature = 0, seed, signal, onRequest }) {
      const text = messages.map(({ content }) => content).join('\n');
      const needed = loaded.tokenize(text).length + maxTokens + TEMPLATE_TOKENS;
      if (needed > contextTokens) {
        throw new PragauraError(
          'GENERATOR_UNAVAILABLE',
          `A prompt and its answer may have ${needed} tokens together, and ${model} takes ${contextTokens}.`,
          { hint: 'Say --prompt-tokens or --generated-tokens lower.' },
        );
      }
      const before = turn;
      let done = () => {};
      const mine = new Promise<void>((resolve) => {
        done = resolve;
      });
      // Who goes while waiting lets nobody pass whom he waits for.
      turn = before.then(() => mine);
      const own = new AbortController();
      let total: NodeJS.Timeout | undefined;
      const both = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]);
      try {
        await Promise.race([before, ...(signal === undefined ? [] : [gone(signal)])]);
        if (signal?.aborted) throw interrupted(signal.reason);
        total = setTimeout(() => own.abort(), totalMs);
        onRequest?.();
        const began = sequence.tokenMeter.getState();
        const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
        const session = new LlamaChatSession({
          contextSequence: sequence,
          systemPrompt: system.join('\n'),
          autoDisposeSequence: false,
        });
        const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
        let answer!: Promise<{ stopReason: string }>;
        let listening = true;
        const pieces = new ReadableStream<string>({
          cancel() {
            listening = false;
          },
          start(controller) {
            answer = session.promptWithMeta(asked.join('\n'), {
              maxTokens,
              temperature,
              ...(seed !== undefined && { seed }),
              signal: both,
              stopOnAbortSignal: true,
              onTextChunk: (piece: string) => {
                if (listening) controller.enqueue(piece);
              },
            });
            answer.then(
              () => {
                if (listening) controller.close();
              },
              (error: unknown) => controller.error(error),
            );
          },
        });
        try {
          yield* pieces;
          const { stopReason } = await answer;
          if (both.aborted) throw both.reason;
          const { usedInputTokens, usedOutputTokens } = sequence.tokenMeter.diff(began);
          return {
            ending: stopReason === 'maxTokens' ? 'length' : 'stop',
            usage: { promptTokens: usedInputTokens, generatedTokens: usedOutputTokens },
          };
        } catch (error) {
          if (signal?.aborted) throw interrupted(error);
          const why = own.signal.aborted ? `no answer within ${totalMs} ms` : messageOf(error);
          throw new PragauraError('GENERATOR_UNAVAILABLE', `The generator ${model} failed: ${why}.`, {
            hint: own.signal.aborted ? 'Say --generator-seconds higher.' : 'Answers are quotes.',
            cause: error,
          });
        } finally {
          // A caller who goes before the end leaves nothing running in the sequence that the next one gets.
          own.abort();
          await answer.catch(() => {});
          session.dispose();
        }
      } finally {
        clearTimeout(total);
        done();
      }
    },
    async close() {
      await turn;
      await llama.dispose();
    },
  };
}

/** Settles when the signal fires. */
function gone(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
}

function interrupted(cause: unknown): PragauraError {
  return new PragauraError('ABORTED', 'Interrupted by the caller.', { cause });
}

async function peer(): Promise<Peer> {
  try {
    return (await import(NAME)) as Peer;
  } catch (error) {
    throw new PragauraError(
      'CONFIGURATION',
      `A language model in a file needs ${NAME}, which is not installed.`,
      {
        hint: `Run "npm install ${NAME}@3" beside pragaura, or name an endpoint with --generator https://… --model NAME.`,
        cause: error,
      },
    );
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    if (!statSync(file).isFile()) throw new Error('it is no file');
    await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The model ${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Name a GGUF file, or an endpoint that begins with http:// or https://.',
      cause: error,
    });
  }
  return hash.digest('hex');
}
