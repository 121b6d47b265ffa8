/** A worker on BullMQ: locks, stalls, turns, draining. What happens to a job is in process.ts. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import {
  connectRedis,
  disconnectRedis,
  keysOf,
  Lane,
  laneName,
  QueueStore,
  type RedisClient,
  START_PATIENCE_MS,
} from '../queue/index.ts';
import { Announcer } from './announcer.ts';
import { drained, GRACE_MS, within } from './drain.ts';
import { HandedBack, Hopeless, type ProcessorOptions, processJob, type TakenJob } from './process.ts';
import type { DrainReport, QueueWorker, WorkerOptions } from './types.ts';

const DEFAULTS = {
  concurrency: 8,
  lockMs: 30_000,
  mostStarts: 15,
  retention: { results: 100_000, ms: 7 * 24 * 3_600_000 },
};
/** A connection that came back is used after so long. */
const RETRY_MS = 1_000;

/** Opens a worker; it takes jobs up at once. Throws QUEUE_UNAVAILABLE, ABORTED, and USAGE for a URL that is none. */
export async function openWorker(options: WorkerOptions): Promise<QueueWorker> {
  const { redis, patience = { ms: START_PATIENCE_MS } } = options;
  const client = await connectRedis(redis, 'worker', patience);
  try {
    const store = new QueueStore(client, options.queue);
    await store.compareClocks();
    return new OpenWorker(options, client, store);
  } catch (error) {
    await disconnectRedis(client);
    throw error;
  }
}

class OpenWorker implements QueueWorker {
  readonly id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  active = 0;
  lastTakenUp: number | null = null;
  readonly #client: RedisClient;
  readonly #lane: Lane;
  readonly #worker: Worker;
  readonly #announcer: Announcer;
  readonly #processor: ProcessorOptions;
  /** Aborted: whatever is being worked on goes back in line. */
  readonly #giveBack = new AbortController();
  #finished = 0;
  #handedBack = 0;

  constructor(options: WorkerOptions, client: RedisClient, store: QueueStore) {
    const { queue, decider, observer = {}, telemetry, say = () => {} } = options;
    const { configuration } = decider;
    const mostStarts = options.mostStarts ?? DEFAULTS.mostStarts;
    this.#client = client;
    this.#lane = new Lane({ client, queue, configuration, ...(telemetry && { telemetry }) });
    this.#processor = { worker: this.id, store, decider, mostStarts, observer, say };
    const lockMs = options.lockMs ?? DEFAULTS.lockMs;
    this.#worker = new Worker(
      laneName(configuration),
      (job, token, signal) => this.#take(job, token!, signal!),
      {
        connection: client,
        prefix: keysOf(queue).prefix,
        name: this.id,
        concurrency: options.concurrency ?? DEFAULTS.concurrency,
        lockDuration: lockMs,
        stalledInterval: Math.max(500, lockMs / 2),
        // Starts are counted in process.ts, where a job that is given up gets a result.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        runRetryDelay: RETRY_MS,
        ...(options.rateLimit === undefined ? {} : { limiter: { max: options.rateLimit, duration: 1_000 } }),
        ...(telemetry === undefined ? {} : { telemetry }),
      },
    );
    this.#listen(client, observer);
    const who = { worker: this.id, configuration, made: decider.made };
    this.#announcer = new Announcer(store, who, options.retention ?? DEFAULTS.retention);
  }

  async beat(data: unknown): Promise<void> {
    await this.#lane.beat(this.id, data);
  }

  async leave(stop: AbortSignal): Promise<void> {
    await this.#announcer.close().catch(() => {});
    while (!stop.aborted && !(await this.#isEmpty())) {
      await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {});
    }
  }

  /** Where Redis does not say, there may be jobs. */
  async #isEmpty(): Promise<boolean> {
    const counts = await this.#lane.counts().catch(() => null);
    return counts !== null && counts.waiting + counts.active + counts.delayed === 0;
  }

  async drain(ms: number, now?: AbortSignal): Promise<DrainReport> {
    const began = performance.now();
    const finished = this.#finished;
    await drained({ worker: this.#worker, announcer: this.#announcer, giveBack: this.#giveBack }, ms, now);
    await within(GRACE_MS, this.#lane.close());
    await disconnectRedis(this.#client);
    return {
      finished: this.#finished - finished,
      handedBack: this.#handedBack,
      ms: Math.round(performance.now() - began),
    };
  }

  async #take(job: Job, token: string, lost: AbortSignal): Promise<string> {
    this.active += 1;
    this.lastTakenUp = performance.now();
    const signal = AbortSignal.any([lost, this.#giveBack.signal]);
    try {
      await processJob(takenJob(job), signal, this.#processor);
      this.#finished += 1;
      return 'stored';
    } catch (error) {
      if (error instanceof Hopeless) throw new UnrecoverableError(error.message);
      if (!(error instanceof HandedBack)) throw error;
      // Where the lock is lost, another worker has it: there is nothing to put back.
      if (!lost.aborted) {
        await job.moveToWait(token);
        this.#handedBack += 1;
      }
      throw new WaitingError();
    } finally {
      this.active -= 1;
    }
  }

  #listen(client: RedisClient, observer: WorkerOptions['observer'] & object): void {
    const tell = (event: 'ready' | 'lost' | 'error', error?: Error) => {
      // What ends because we end is no news.
      if (this.#giveBack.signal.aborted) return;
      try {
        observer.redis?.(event, error);
      } catch {}
    };
    client.on('ready', () => tell('ready'));
    client.on('close', () => tell('lost'));
    this.#worker.on('error', (error) => tell('error', error));
    this.#worker.on('lockRenewalFailed', (jobIds) => {
      for (const jobId of jobIds) {
        this.#worker.cancelJob(jobId, 'the lock is lost');
        try {
          observer.stalled?.(jobId);
        } catch {}
      }
    });
  }
}

function takenJob(job: Job): TakenJob {
  return {
    id: job.id!,
    name: job.name,
    data: job.data,
    starts: job.attemptsStarted,
    lastTry: job.attemptsMade + 1 >= (job.opts.attempts ?? 1),
  };
}
