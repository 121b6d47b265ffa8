/** Waits for results: hears of them as they are written, and looks again now and then in case it did not. */
import { messageOf, PragauraError } from '../../common/index.ts';
import { isPassing, type QueueStore } from '../queue/index.ts';
import type { JobResult } from '../types.ts';

export interface WaiterOptions {
  /** On a connection of its own, which this blocks. */
  listening: Pick<QueueStore, 'done' | 'newest'>;
  store: Pick<QueueStore, 'lookUp' | 'inQueue' | 'collect'>;
  /**
   * Tells results without being asked, so that nothing has to be blocked or looked up. Where one is not told (the job was
   * submitted by somebody else before, a connection was gone), it is found a moment later. Null: there is no such way.
   */
  replies: ((take: (result: JobResult) => void) => void) | null;
  /** Told of a job that is in Redis no more and has no result. True: it was submitted again, and is waited for. */
  lost: (jobId: string) => Promise<boolean>;
}

/** Of one job, however many wait for it. */
interface Waiting {
  readonly configuration: string;
  /** When the job was known to be in line; null: not yet. */
  since: number | null;
  readonly those: Set<{ resolve(result: JobResult): void; reject(error: unknown): void }>;
}

const BLOCK_MS = 1_000;
/** Between two looks for results that were not told. */
const LOOK_MS = 100;
const MOST_ENTRIES = 1_000;
const MOST_LOOKED_UP = 100;
/** Jobs are looked for one by one when nothing was heard of them for so long. */
const LOOK_AGAIN_MS = 2_000;

export class ResultWaiter {
  readonly #options: WaiterOptions;
  readonly #waiting = new Map<string, Waiting>();
  #after: string;
  #lookedAgain = performance.now();
  #closed = false;
  readonly #running: Promise<void>;

  private constructor(options: WaiterOptions, after: string) {
    this.#options = options;
    this.#after = after;
    options.replies?.((result) => void this.#give([result]).catch(() => {}));
    this.#running = this.#listen();
  }

  /** Hears of every result that is written from now on. */
  static async open(options: WaiterOptions): Promise<ResultWaiter> {
    return new ResultWaiter(options, await options.listening.newest());
  }

  /**
   * Ask before the job is submitted, and say `submitted` after. Throws JOB_LOST when Redis has forgotten the job, ABORTED
   * by `signal`.
   */
  wait(jobId: string, configuration: string, signal: AbortSignal): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(jobId) ?? { configuration, since: null, those: new Set() };
      this.#waiting.set(jobId, waiting);
      const end = () => {
        waiting.those.delete(one);
        if (waiting.those.size === 0 && this.#waiting.get(jobId) === waiting) this.#waiting.delete(jobId);
        signal.removeEventListener('abort', aborted);
      };
      const one = {
        resolve: (result: JobResult) => {
          end();
          resolve(result);
        },
        reject: (error: unknown) => {
          end();
          reject(error);
        },
      };
      const aborted = () => one.reject(new PragauraError('ABORTED', 'Stopped before the result was there.'));
      waiting.those.add(one);
      signal.addEventListener('abort', aborted);
      if (signal.aborted) aborted();
    });
  }

  /** The job is in line, or has been. */
  submitted(jobId: string): void {
    const waiting = this.#waiting.get(jobId);
    if (waiting) waiting.since ??= performance.now();
  }

  /** Looks for the result of one job now: it may have been there before anybody waited. */
  async look(jobId: string): Promise<void> {
    await this.#take([jobId]);
  }

  /** Its connection may have been ended before. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #listen(): Promise<void> {
    const { listening, replies } = this.#options;
    while (!this.#closed) {
      try {
        if (replies !== null) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        const entries = await listening.done(this.#after, MOST_ENTRIES, replies === null ? BLOCK_MS : null);
        await this.#take(entries.map(({ jobId }) => jobId).filter((jobId) => this.#waiting.has(jobId)));
        this.#after = entries.at(-1)?.entry ?? this.#after;
        if (performance.now() - this.#lookedAgain > LOOK_AGAIN_MS) await this.#lookAgain();
      } catch (error) {
        if (this.#closed) return;
        if (!isPassing(error)) this.#fail(error);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async #take(jobIds: readonly string[]): Promise<void> {
    for (let from = 0; from < jobIds.length; from += MOST_LOOKED_UP) {
      const some = jobIds.slice(from, from + MOST_LOOKED_UP);
      await this.#give((await this.#options.store.lookUp(some)).filter((result) => result !== null));
    }
  }

  async #give(results: readonly JobResult[]): Promise<void> {
    for (const result of results) {
      for (const { resolve } of [...(this.#waiting.get(result.jobId)?.those ?? [])]) resolve(result);
    }
    await this.#options.store.collect(results.map(({ jobId }) => jobId));
  }

  /** A Redis that came back without its last second, or empty, says nothing of what it lost. */
  async #lookAgain(): Promise<void> {
    const now = performance.now();
    const old = new Map<string, string[]>();
    for (const [jobId, { configuration, since }] of this.#waiting) {
      if (since === null || now - since <= LOOK_AGAIN_MS) continue;
      old.set(configuration, [...(old.get(configuration) ?? []), jobId]);
    }
    for (const [configuration, all] of old) {
      for (let from = 0; from < all.length; from += MOST_LOOKED_UP) {
        await this.#lookFor(configuration, all.slice(from, from + MOST_LOOKED_UP));
      }
    }
    this.#lookedAgain = performance.now();
  }

  async #lookFor(configuration: string, ids: readonly string[]): Promise<void> {
    const { store, lost } = this.#options;
    const there = await store.inQueue(configuration, ids);
    // In this order: a job that was finished in between has its result by now.
    await this.#take(ids);
    for (const [i, jobId] of ids.entries()) {
      const waiting = this.#waiting.get(jobId);
      if (waiting === undefined || there[i]) continue;
      if (await lost(jobId)) waiting.since = performance.now();
      else for (const { reject } of [...waiting.those]) reject(lostJob());
    }
  }

  #fail(error: unknown): void {
    const failed = PragauraError.isInstance(error)
      ? error
      : new PragauraError('QUEUE_UNAVAILABLE', `Redis cannot be used: ${messageOf(error)}`, { cause: error });
    for (const { those } of [...this.#waiting.values()]) for (const { reject } of [...those]) reject(failed);
  }
}

function lostJob(): PragauraError {
  return new PragauraError(
    'JOB_LOST',
    'The job is not in Redis any more and has no result: Redis came back without it.',
    {
      hint: 'Submit it again, with --resubmit by itself; and let Redis keep an append-only file.',
    },
  );
}
