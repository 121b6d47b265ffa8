/** A worker that reads, cuts and embeds pieces of documents, and stages what comes of them in an engine. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { messageOf, PragauraError } from '../../common/index.ts';
import {
  checkBackend,
  type Embed,
  encodePiece,
  type Making,
  makePieces,
  openStaging,
  readPiece,
  type Staging,
} from '../../corpus/index.ts';
import {
  connectRedis,
  disconnectRedis,
  keysOf,
  laneName,
  type Patience,
  QueueStore,
  START_PATIENCE_MS,
} from '../queue/index.ts';
import { Announcer } from '../worker/announcer.ts';
import { drained } from '../worker/drain.ts';
import { configurationFor, IndexJob, indexingQueue, type KeyedPiece } from './job.ts';
import { untilTaken } from './patience.ts';

export interface IndexWorkerOptions {
  redis: string;
  /** That of queries; jobs of indexing lie beside it. */
  queue: string;
  /** Where what is made is staged, as `--backend` has it. */
  backend: string;
  embed: Embed;
  embedder: Making['embedder'];
  /** Word pieces of a text, without special tokens. */
  countTokens(text: string): number;
  /** Jobs at the same time; default 2, so that one is read while another is embedded. */
  concurrency?: number;
  /** A job whose worker has not been heard of for so long is given to another. Default 30,000. */
  lockMs?: number;
  /** How long Redis may be away while the worker opens. Default 2,000 ms; later it is waited for without end. */
  patience?: Patience;
  /** Told in words of what a person should know. */
  say?: (message: string) => void;
}

export interface IndexWorker {
  readonly id: string;
  /** Pieces that it staged. */
  readonly staged: number;
  /** Rejects, with what cannot be waited for, when the worker can do nothing more: the engine refuses who asks. */
  readonly broken: Promise<never>;
  /** Takes no more jobs, gives back what it has not finished within `ms` or when `now` fires, and closes. */
  close(ms: number, now?: AbortSignal): Promise<void>;
}

/** Deaths of workers that one job outlives. */
const MOST_STALLS = 3;
/** There are no results. */
const RETENTION = { results: 1, ms: 1_000 };

/** Opens a worker; it takes jobs up at once. Throws USAGE, QUEUE_UNAVAILABLE, BACKEND_UNAVAILABLE, BACKEND_UNUSABLE and ABORTED. */
export async function openIndexWorker(options: IndexWorkerOptions): Promise<IndexWorker> {
  const { redis, queue, backend, embedder, patience = { ms: START_PATIENCE_MS } } = options;
  // Of no index in particular: who may not write should hear it now.
  await checkBackend('pragaura', backend);
  const client = await connectRedis(redis, 'worker', patience);
  const store = new QueueStore(client, indexingQueue(queue));
  const lane = configurationFor(backend, embedder);
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const announcer = new Announcer(store, { worker: id, ...lane }, RETENTION);
  const work = new Work(options);
  const lockMs = options.lockMs ?? 30_000;
  const worker = new Worker(
    laneName(lane.configuration),
    (job, token, lost) => work.take(job, token!, lost!),
    {
      connection: client,
      prefix: keysOf(indexingQueue(queue)).prefix,
      name: id,
      concurrency: options.concurrency ?? 2,
      lockDuration: lockMs,
      stalledInterval: Math.max(500, lockMs / 2),
      maxStalledCount: MOST_STALLS,
    },
  );
  worker.on('error', () => {});
  let isAway = false;
  client.on('close', () => {
    if (!isAway && !work.giveBack.signal.aborted) options.say?.('Redis does not answer; it is waited for.');
    isAway = true;
  });
  client.on('ready', () => {
    isAway = false;
  });
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const jobId of jobIds) worker.cancelJob(jobId, 'the lock is lost');
  });
  return {
    id,
    get staged() {
      return work.staged;
    },
    broken: work.broken,
    async close(ms, now) {
      await drained({ worker, announcer, giveBack: work.giveBack }, ms, now);
      await work.close();
      await disconnectRedis(client);
    },
  };
}

/** What happens to jobs. */
class Work {
  staged = 0;
  readonly giveBack = new AbortController();
  readonly broken: Promise<never>;
  #break!: (error: unknown) => void;
  readonly #options: IndexWorkerOptions;
  readonly #stagings = new Map<string, Promise<Staging>>();

  constructor(options: IndexWorkerOptions) {
    this.#options = options;
    this.broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => {});
  }

  async take(job: Job, token: string, lost: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([lost, this.giveBack.signal]);
    try {
      await this.#make(job, signal);
    } catch (error) {
      const refused = PragauraError.isInstance(error) && error.code === 'BACKEND_UNUSABLE';
      if (refused) {
        this.#break(error);
        this.giveBack.abort();
      }
      if (!refused && !signal.aborted) throw error;
      if (!lost.aborted) await job.moveToWait(token);
      throw new WaitingError();
    }
  }

  /** Throws what may pass, UnrecoverableError for a job that does not fit, and BACKEND_UNUSABLE. */
  async #make(job: Job, signal: AbortSignal): Promise<void> {
    const parsed = IndexJob.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('It is no job of this version.');
    const { index, maxTokens, pieces } = parsed.data;
    const say = this.#options.say ?? (() => {});
    const patience = {
      signal,
      onPause: ({ message, hint = '' }: PragauraError) => {
        say(`${message} ${hint} Trying again until it does.`);
        // Whoever waits for the job should know why.
        job.updateProgress({ waits: `${message} ${hint}` }).catch(() => {});
      },
    };
    const staging = await untilTaken(() => this.#staging(index), patience);
    const there = await untilTaken(() => staging.has(pieces.map(({ key }) => key)), patience);
    const { found, missing } = await readAll(pieces.filter(({ key }) => !there.has(key)));
    const made = await makePieces(found, { ...this.#options, maxTokens, signal });
    for (const [i, { key }] of found.entries()) {
      await untilTaken(() => staging.write(key, encodePiece(made[i]!)), patience);
      this.staged += 1;
    }
    // Another worker may see it; one that has changed is put on the queue anew by whoever looks at it.
    if (missing !== null) throw missing;
  }

  #staging(index: string): Promise<Staging> {
    const { backend } = this.#options;
    const opening = this.#stagings.get(index) ?? openStaging(index, backend);
    this.#stagings.set(index, opening);
    opening.catch(() => this.#stagings.delete(index));
    return opening;
  }

  async close(): Promise<void> {
    for (const opening of this.#stagings.values())
      await opening.then((staging) => staging.close()).catch(() => {});
  }
}

/** What pieces hold, as far as they are what they were; the first failure to read one. */
async function readAll(pieces: readonly KeyedPiece[]) {
  const found: (KeyedPiece & { bytes: Buffer })[] = [];
  let missing: Error | null = null;
  for (const { key, piece } of pieces) {
    try {
      const bytes = await readPiece(piece);
      if (bytes !== null) found.push({ key, piece, bytes });
    } catch (error) {
      missing ??= new Error(messageOf(error));
    }
  }
  return { found, missing };
}
