/** `route` by way of the queue: what a query gets is what `route` would write in its place. */
import { ERROR_CODES, type ErrorCode, PragauraError } from '../../common/index.ts';
import type { Decision, Query } from '../../router/index.ts';
import {
  connectRedis,
  liveWorkers,
  type Patience,
  QueueStore,
  type RedisClient,
  retrying,
} from '../queue/index.ts';
import type { JobError } from '../types.ts';
import { openReplies } from './replies.ts';
import { conflict, type Submitter } from './submitter.ts';
import { ResultWaiter } from './waiter.ts';

interface AnswersOptions {
  redis: string;
  queue: string;
  store: QueueStore;
  /** With which its own connections are made. */
  patience: Patience;
  /** What Redis loses is submitted again. */
  resubmit: boolean;
  /** Told of, where for some time nobody answers for it; left out: nobody asks. */
  configuration?: string;
  say: (message: string) => void;
}

interface Asked {
  query: Query;
  submitter: Submitter;
}

const NOBODY_AFTER_MS = 10_000;

export class Answers {
  readonly #options: AnswersOptions;
  readonly #asked: Map<string, Asked>;
  readonly #waiter: ResultWaiter;
  readonly #nobody: NodeJS.Timeout;

  /** For the submitters whose queries are asked: results are told there as well. */
  readonly replyTo: string | undefined;
  /** They do nothing but listen. */
  readonly #connections: readonly RedisClient[];

  private constructor(
    options: AnswersOptions,
    parts: {
      waiter: ResultWaiter;
      asked: Map<string, Asked>;
      replyTo: string | undefined;
      connections: readonly RedisClient[];
    },
  ) {
    this.#options = options;
    this.#waiter = parts.waiter;
    this.#asked = parts.asked;
    this.replyTo = parts.replyTo;
    this.#connections = parts.connections;
    this.#nobody = setTimeout(() => void this.#warn(), NOBODY_AFTER_MS);
    this.#nobody.unref();
  }

  /** Throws QUEUE_UNAVAILABLE, ABORTED. */
  static async open(options: AnswersOptions): Promise<Answers> {
    const { redis, queue, store, patience } = options;
    const asked = new Map<string, Asked>();
    const lost = async (jobId: string) => {
      const one = asked.get(jobId);
      if (!options.resubmit || one === undefined) return false;
      await one.submitter.submit(one.query);
      return true;
    };
    const connections: RedisClient[] = [];
    const connect = async () => {
      const connection = await connectRedis(redis, 'producer', patience);
      connections.push(connection);
      return connection;
    };
    try {
      const listening = new QueueStore(await connect(), queue);
      const told = await openReplies(await connect(), queue);
      const replies = told?.listen ?? null;
      const waiter = await retrying(() => ResultWaiter.open({ listening, store, replies, lost }), patience);
      return new Answers(options, { waiter, asked, replyTo: told?.channel, connections });
    } catch (error) {
      for (const connection of connections) connection.disconnect();
      throw error;
    }
  }

  /** Throws the error that the job ended with, as `route` would have; and what `submit` and `wait` throw. */
  async to(query: Query, submitter: Submitter, signal: AbortSignal): Promise<Decision> {
    const jobId = submitter.idOf(query.id);
    const own = new AbortController();
    const ended = AbortSignal.any([signal, own.signal]);
    const coming = this.#waiter.wait(jobId, submitter.configuration, ended);
    coming.catch(() => {});
    try {
      const { digest, status } = await submitter.submit(query);
      this.#asked.set(jobId, { query, submitter });
      this.#waiter.submitted(jobId);
      if (status === 'finished') await this.#waiter.look(jobId);
      const result = await coming;
      clearTimeout(this.#nobody);
      if (result.digest !== digest) throw conflict(query.id);
      if (result.decision === undefined) throw errorFrom(result.error!);
      return result.decision;
    } finally {
      own.abort();
      this.#asked.delete(jobId);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#nobody);
    // Otherwise it would listen to the end of its second.
    for (const connection of this.#connections) connection.disconnect();
    await this.#waiter.close();
  }

  async #warn(): Promise<void> {
    const { store, configuration, say } = this.#options;
    if (configuration === undefined) return;
    const live = await liveWorkers(store).catch(() => null);
    if (live === null || live.some((worker) => worker.configuration === configuration)) return;
    say(`No worker of the configuration ${configuration.slice(0, 16)} is there; waiting for one.`);
  }
}

function errorFrom({ code, message, hint }: JobError): PragauraError {
  const known: ErrorCode = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'INTERNAL';
  return new PragauraError(known, message, hint === undefined ? {} : { hint });
}
