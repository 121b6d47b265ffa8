/** A language model behind an OpenAI-compatible endpoint. */
import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import type OpenAI from 'openai';
import {
  messageOf,
  Passing,
  PragauraError,
  type RetryPolicy,
  retryAfter,
  withRetries,
} from '../common/index.ts';

export interface GeneratorOptions {
  /** Base of the endpoint, "https://…/v1". */
  url: string;
  model: string;
  /** Sent as a bearer token; absent: none is sent. */
  apiKey?: string | undefined;
  /** Default: three tries, a second apart and doubled; a server that asks for more than 20 s is not waited for. */
  retries?: RetryPolicy;
  limits?: Partial<GeneratorLimits>;
  announce?: (message: string) => void;
}

export interface GeneratorLimits {
  /** Milliseconds until the answer begins, and between two pieces of it. Default 30,000. */
  idleMs: number;
  /** Milliseconds for the whole answer. Default 120,000. */
  totalMs: number;
  /** Bytes of the whole answer. Default 1 MiB: a stream wraps each word into some 300. */
  bytes: number;
  /** Failures in a row after which the endpoint is left alone for `restMs`. Default 5. */
  failures: number;
  /** Default 30,000. */
  restMs: number;
}

const LIMITS: GeneratorLimits = {
  idleMs: 30_000,
  totalMs: 120_000,
  bytes: 1024 * 1024,
  failures: 5,
  restMs: 30_000,
};
const RETRIES: RetryPolicy = { tries: 3, firstDelayMs: 1_000, longestDelayMs: 20_000 };

export interface Message {
  role: 'system' | 'user';
  content: string;
}

/**
 * How an answer ended: `stop`, whole; `length`, at the most tokens it may have; `refusal`, by the model or a filter of its
 * server; `tool_calls`, with calls that nobody offered.
 */
export type Ending = 'stop' | 'length' | 'refusal' | 'tool_calls';

/** Tokens as the server counts them; null where it does not say. */
export interface Usage {
  promptTokens: number | null;
  generatedTokens: number | null;
}

export interface Generator {
  /** Tells its answers from those of any other. */
  readonly model: string;
  /** Requests that one answer may take. */
  readonly tries: number;
  /**
   * Pieces of the answer's text as they come; gives how it ended. Before the first piece it is tried again; after it,
   * what fails is thrown. Throws GENERATOR_UNAVAILABLE, and ABORTED when `signal` fires.
   */
  generate(
    messages: readonly Message[],
    options: GenerateCall,
  ): AsyncGenerator<string, { ending: Ending; usage: Usage }>;
  /** Lets what is under way finish, and frees what it holds. */
  close(): Promise<void>;
}

export interface GenerateCall {
  maxTokens: number;
  /** Default 0: the likeliest answer. */
  temperature?: number;
  /** Of what is drawn at a temperature; not every endpoint heeds it. */
  seed?: number;
  signal?: AbortSignal | undefined;
  /** Told of every request that is made, also of those that fail. */
  onRequest?: () => void;
}

/** Throws CONFIGURATION for an address that is no http or https, or holds a password. Sends nothing. */
export function openGenerator(options: GeneratorOptions): Generator {
  const { model, apiKey } = options;
  const limits = { ...LIMITS, ...options.limits };
  const url = checkedUrl(options.url);
  let client: OpenAI | undefined;
  /** Loaded by the first who asks: its many modules would be read at the start of every command. */
  const connected = async () => {
    const { default: Client } = await import('openai');
    client ??= new Client({
      baseURL: url,
      apiKey: apiKey ?? 'none',
      organization: null,
      project: null,
      // Its own retries wait as long as a server asks, and do not hear a signal while they do.
      maxRetries: 0,
      timeout: limits.totalMs,
      logLevel: 'off',
      // A redirect could lead the key elsewhere.
      fetchOptions: { redirect: 'error' },
      ...(apiKey === undefined && { defaultHeaders: { Authorization: null } }),
      fetch: async (input, init) => limited(await fetch(input, init), limits.bytes),
    });
    return client;
  };
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof Passing || error.cause instanceof Timeout),
    { halfOpenAfter: limits.restMs, breaker: new ConsecutiveBreaker(limits.failures) },
  );

  const retries = options.retries ?? RETRIES;

  return {
    model,
    tries: retries.tries,
    async close() {},
    async *generate(messages, { maxTokens, temperature = 0, seed, signal, onRequest }) {
      const own = new AbortController();
      const total = setTimeout(() => own.abort(new Timeout(limits.totalMs)), limits.totalMs);
      let idle: NodeJS.Timeout | undefined;
      /** The next piece, while the clock of idleness runs: it stands still while the caller looks at the last one. */
      const next = async <T>(piece: Promise<T>): Promise<T> => {
        idle = setTimeout(() => own.abort(new Timeout(limits.idleMs)), limits.idleMs);
        try {
          return await piece;
        } catch (error) {
          if (signal?.aborted)
            throw new PragauraError('ABORTED', 'Interrupted by the caller.', { cause: error });
          throw failureOf(own.signal.aborted ? own.signal.reason : error, url);
        } finally {
          clearTimeout(idle);
        }
      };
      const both = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]);
      const begin = () =>
        next(
          (async () => {
            const { chat } = await connected();
            onRequest?.();
            const stream = await chat.completions.create(
              {
                model,
                messages: [...messages],
                max_tokens: maxTokens,
                temperature,
                ...(seed !== undefined && { seed }),
                stream: true,
                stream_options: { include_usage: true },
              },
              { signal: both },
            );
            const pieces = stream[Symbol.asyncIterator]();
            return { pieces, first: await pieces.next() };
          })(),
        );
      try {
        const { pieces, first } = await withRetries(
          retries,
          () =>
            breaker.execute(begin).catch((error: unknown) => {
              throw error instanceof BrokenCircuitError ? resting(url, limits) : error;
            }),
          { signal, announce: options.announce },
        );
        let ending: Ending | null = null;
        const usage: Usage = { promptTokens: null, generatedTokens: null };
        for (let piece = first; !piece.done; piece = await next(pieces.next())) {
          const { choices, usage: counted } = piece.value;
          if (counted) {
            usage.promptTokens = wholeOrNull(counted.prompt_tokens);
            usage.generatedTokens = wholeOrNull(counted.completion_tokens);
          }
          const choice = choices?.[0];
          if (choice?.delta?.tool_calls || choice?.delta?.function_call)
            return { ending: 'tool_calls', usage };
          if (choice?.delta?.refusal) return { ending: 'refusal', usage };
          if (typeof choice?.delta?.content === 'string' && choice.delta.content !== '')
            yield choice.delta.content;
          if (choice?.finish_reason) ending = endingOf(choice.finish_reason);
        }
        // The client ends a stream that was aborted as if it were whole.
        if (both.aborted || ending === null) {
          await next(Promise.reject(new Error('the stream broke off')));
        }
        return { ending: ending!, usage };
      } catch (error) {
        throw error instanceof Passing ? error.error : error;
      } finally {
        clearTimeout(total);
        own.abort();
      }
    },
  };
}

class Timeout extends Error {
  constructor(ms: number) {
    super(`nothing came for ${ms} ms, or the whole took longer than it may`);
  }
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === ''
  ) {
    return url.replace(/\/+$/, '');
  }
  throw new PragauraError('CONFIGURATION', 'The generator has no address that can be used.', {
    hint: 'Give --generator as http or https without a password, for example https://localhost:8080/v1.',
  });
}

const wholeOrNull = (count: unknown) =>
  Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null;

function endingOf(reason: string): Ending {
  if (reason === 'length' || reason === 'tool_calls') return reason;
  if (reason === 'function_call') return 'tool_calls';
  return reason === 'content_filter' ? 'refusal' : 'stop';
}

/** What an error of the client says of the endpoint's answer; nothing where there was none. */
function answerOf(error: unknown): { status?: number; headers?: Headers } {
  const { status, headers } = error as { status?: unknown; headers?: unknown };
  return typeof status === 'number' ? { status, ...(headers instanceof Headers && { headers }) } : {};
}

/** What a failure means: it may pass (no answer, 408, 409, 425, 429, 5xx, a stream that breaks off) or not. */
function failureOf(error: unknown, url: string): Passing | PragauraError {
  const { status, headers } = answerOf(error);
  const said = messageOf((error as Error).cause ?? error)
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  const failure = new PragauraError(
    'GENERATOR_UNAVAILABLE',
    status === undefined
      ? `The generator at ${url} does not answer: ${said}`
      : `The generator at ${url} answers ${said}`,
    { hint: hintFor(status), cause: error },
  );
  if (status !== undefined && status < 500 && ![408, 409, 425, 429].includes(status)) return failure;
  // Who has waited so long does not wait once more.
  if (error instanceof Timeout) return failure;
  return new Passing(failure, { afterMs: retryAfter(headers?.get('retry-after') ?? undefined, Date.now()) });
}

function hintFor(status: number | undefined): string {
  if (status === 401 || status === 403) return 'Is the key in PRAGAURA_GENERATOR_KEY the right one?';
  if (status === 400 || status === 404 || status === 422)
    return 'Are --generator and --model those of the endpoint?';
  return 'Is it running? Answers are quotes until it is.';
}

function resting(url: string, { failures, restMs }: GeneratorLimits): PragauraError {
  return new PragauraError(
    'GENERATOR_UNAVAILABLE',
    `The generator at ${url} failed ${failures} times in a row.`,
    {
      hint: `It is asked again after ${restMs / 1_000} s; answers are quotes until then.`,
    },
  );
}

/** The response with a body that fails beyond so many bytes, whatever its lines are. */
function limited(response: Response, bytes: number): Response {
  if (response.body === null) return response;
  let left = bytes;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left < 0) controller.error(new Error(`its answer has more than ${bytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}
