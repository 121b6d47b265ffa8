/** `route` by way of the queue: what a query gets is what `route` would write in its place. */
import { ERROR_CODES, type ErrorCode, PragauraError } from '../../common/index.ts';
import type { Decision, Query } from '../../router/index.ts';
import { liveWorkers, type QueueStore } from '../queue/index.ts';
import type { JobError } from '../types.ts';
import { conflict, type Submitter } from './submitter.ts';
import { ResultWaiter } from './waiter.ts';

interface AnswersOptions {
  submitter: Submitter;
  listening: QueueStore;
  store: QueueStore;
  configuration: string;
  resubmit: boolean;
  say: (message: string) => void;
}

const NOBODY_AFTER_MS = 10_000;

export class Answers {
  readonly #options: AnswersOptions;
  readonly #queries = new Map<string, Query>();
  readonly #waiter: ResultWaiter;
  readonly #nobody: NodeJS.Timeout;

  private constructor(options: AnswersOptions, waiter: ResultWaiter, queries: Map<string, Query>) {
    this.#options = options;
    this.#waiter = waiter;
    this.#queries = queries;
    this.#nobody = setTimeout(() => void this.#warn(), NOBODY_AFTER_MS);
    this.#nobody.unref();
  }

  static async open(options: AnswersOptions): Promise<Answers> {
    const queries = new Map<string, Query>();
    const lost = async (jobId: string) => {
      const query = queries.get(jobId);
      if (!options.resubmit || query === undefined) return false;
      await options.submitter.submit(query);
      return true;
    };
    return new Answers(options, await ResultWaiter.open({ ...options, lost }), queries);
  }

  /** Throws the error that the job ended with, as `route` would have; and what `submit` and `wait` throw. */
  async to(query: Query, signal: AbortSignal): Promise<Decision> {
    const { submitter } = this.#options;
    const jobId = submitter.idOf(query.id);
    const own = new AbortController();
    const coming = this.#waiter.wait(jobId, AbortSignal.any([signal, own.signal]));
    coming.catch(() => {});
    try {
      const { digest, status } = await submitter.submit(query);
      this.#queries.set(jobId, query);
      this.#waiter.submitted(jobId);
      if (status === 'finished') await this.#waiter.look(jobId);
      const result = await coming;
      clearTimeout(this.#nobody);
      if (result.digest !== digest) throw conflict(query.id);
      if (result.decision === undefined) throw errorFrom(result.error!);
      return result.decision;
    } finally {
      own.abort();
      this.#queries.delete(jobId);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#nobody);
    await this.#waiter.close();
  }

  async #warn(): Promise<void> {
    const { store, configuration, say } = this.#options;
    const live = await liveWorkers(store).catch(() => null);
    if (live === null || live.some((worker) => worker.configuration === configuration)) return;
    say(`No worker of the configuration ${configuration.slice(0, 16)} is there; waiting for one.`);
  }
}

function errorFrom({ code, message, hint }: JobError): PragauraError {
  const known: ErrorCode = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'INTERNAL';
  return new PragauraError(known, message, hint === undefined ? {} : { hint });
}
