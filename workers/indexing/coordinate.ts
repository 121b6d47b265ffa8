/** Has documents read, cut and embedded by workers: puts them on the queue in pieces and gathers what was made of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import {
  type BuildOptions,
  batchesOf,
  decodePiece,
  type InputFile,
  keyOf,
  type Made,
  type Making,
  nameOf,
  type Outcome,
  openStaging,
  piecesOf,
  type Staging,
} from '../../corpus/index.ts';
import {
  connectRedis,
  disconnectRedis,
  type JobState,
  Lane,
  liveWorkers,
  QueueStore,
  retrying,
  START_PATIENCE_MS,
} from '../queue/index.ts';
import { configurationFor, INDEX, type IndexJob, idOf, indexingQueue, type KeyedPiece } from './job.ts';
import { untilTaken } from './patience.ts';

export interface IndexingOptions {
  redis: string;
  /** That of queries; jobs of indexing lie beside it. */
  queue: string;
  /** Folder of the index; its name is that of the index in the engine. */
  out: string;
  /** The engine in which what workers make is staged, as `--backend` has it. */
  backend: string;
  /** Told in words of what a person should know. */
  say: (message: string) => void;
}

/** Jobs that wait or are worked on at a time: enough for many workers, and little room in Redis. */
const WINDOW = 500;
const LOOK_MS = 250;
/** How often it is looked whether there is a worker. */
const ROSTER_MS = 5_000;
/** How long Redis or the engine may be away; what was made stays, and the same command goes on from there. */
const AWAY_MS = 60_000;
/** How often a piece is put on the queue, since Redis may lose jobs, and a file is looked at that changes meanwhile. */
const MOST_ROUNDS = 5;
/** Values that are read from the engine at the same time. */
const AT_A_TIME = 8;

/** A file on its way. */
interface Tracked {
  file: InputFile;
  pieces: KeyedPiece[];
  /** What came of each piece; null: not there yet. */
  outcomes: (Outcome[] | null)[];
  /** How often it was another file than the one that was put on the queue. */
  changes: number;
}

interface Batch {
  id: string;
  job: IndexJob;
  files: ReadonlySet<Tracked>;
}

/**
 * Workers of a queue in place of this process. `elsewhere` is for `buildIndex`, and throws QUEUE_UNAVAILABLE, BACKEND_UNAVAILABLE, BACKEND_UNUSABLE and
 * ABORTED; what was made until then stays staged. `tidy` removes what is staged and is not of the index that was built; what is
 * stays, so that nothing is made twice.
 */
export function indexingBy(options: IndexingOptions): {
  elsewhere: NonNullable<BuildOptions['elsewhere']>;
  tidy(): Promise<void>;
} {
  let keys: readonly string[] = [];
  return {
    async elsewhere(files, making, call) {
      const { redis, queue, out, backend, say } = options;
      const { signal } = call;
      const client = await connectRedis(redis, 'producer', { ms: START_PATIENCE_MS, signal });
      try {
        const { configuration } = configurationFor(backend, making.embedder);
        const name = indexingQueue(queue);
        const lane = new Lane({ client, queue: name, configuration });
        const staging = await openStaging(out, backend);
        try {
          const parts = { lane, staging, store: new QueueStore(client, name), making, configuration, say };
          const run = new Run({ ...parts, options, call });
          const made = await run.make(files);
          keys = run.keys;
          return made;
        } finally {
          await staging.close();
          await lane.close();
        }
      } finally {
        await disconnectRedis(client);
      }
    },
    async tidy() {
      const staging = await openStaging(options.out, options.backend);
      try {
        await staging.keepOnly(keys);
      } finally {
        await staging.close();
      }
    },
  };
}

interface Parts {
  options: IndexingOptions;
  making: Making;
  call: Pick<BuildOptions, 'onProgress' | 'signal'>;
  lane: Lane;
  store: QueueStore;
  staging: Staging;
  configuration: string;
  say: (message: string) => void;
}

class Run {
  readonly #parts: Parts;
  readonly #signal: AbortSignal | undefined;
  readonly #tracked: Tracked[] = [];
  readonly #waiting: Batch[] = [];
  readonly #out = new Map<string, Batch>();
  readonly #failed = new Map<Tracked, string>();
  readonly #vectors = new Map<string, Float32Array>();
  readonly #fresh = new Set<string>();
  readonly #said = new Set<string>();
  readonly #tries = new Map<string, number>();
  #bytes = { done: 0, all: 0 };
  #passages = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#signal = parts.call.signal;
  }

  /** Of all pieces that went into what was made. */
  get keys(): string[] {
    return this.#tracked.flatMap(({ pieces }) => pieces.map(({ key }) => key));
  }

  async make(files: readonly InputFile[]): Promise<Made> {
    await this.#cutAll(files);
    await this.#gatherStaged(this.#tracked);
    const { store, configuration, options, making } = this.#parts;
    await this.#queue(() =>
      store.describe(configuration, configurationFor(options.backend, making.embedder).made),
    );
    // Neighbours always come together in the same way, so that a job which is there already is not put there again.
    const all = this.#tracked.flatMap((one) => one.pieces.map((keyed) => ({ ...keyed, one })));
    for (const batch of batchesOf(all)) {
      if (batch.some(({ one, key }) => this.#lacks(one, key))) this.#put(batch);
    }
    this.#progress();
    while (this.#waiting.length + this.#out.size > 0) {
      await this.#fill();
      await this.#look();
      await this.#mindWorkers();
      this.#progress();
      if (this.#waiting.length + this.#out.size > 0) {
        await sleep(LOOK_MS, undefined, this.#signal && { signal: this.#signal }).catch(() => {});
      }
    }
    return { outcomes: this.#outcomes(), vectors: this.#vectors, fresh: this.#fresh };
  }

  /** Files that cannot be read here are left to whoever says so of files that cannot be read. */
  async #cutAll(files: readonly InputFile[]): Promise<void> {
    const { onProgress } = this.#parts.call;
    for (const [done, file] of files.entries()) {
      const pieces = await this.#cut(file);
      if (pieces !== null) this.#tracked.push({ file, pieces, outcomes: pieces.map(() => null), changes: 0 });
      onProgress?.({ stage: 'read', done: done + 1, total: files.length, detail: file.name });
    }
    this.#bytes.all = this.#tracked.reduce((sum, { pieces }) => sum + bytesOf(pieces), 0);
  }

  async #cut(file: InputFile): Promise<KeyedPiece[] | null> {
    this.#check();
    try {
      const pieces = await piecesOf(file, this.#signal);
      return pieces.map((piece) => ({ key: keyOf(piece, this.#parts.making), piece }));
    } catch {
      this.#check();
      return null;
    }
  }

  #check(): void {
    if (!this.#signal?.aborted) return;
    throw new PragauraError('ABORTED', 'Indexing was interrupted.', {
      hint: 'Workers go on with what they were given, and the same command goes on where this one stopped.',
    });
  }

  #lacks({ pieces, outcomes }: Tracked, key: string): boolean {
    return pieces.some((piece, i) => piece.key === key && outcomes[i] === null);
  }

  #put(batch: readonly (KeyedPiece & { one: Tracked })[]): void {
    const { options, making } = this.#parts;
    const job: IndexJob = {
      schema: 'pragaura.index-job/1',
      index: nameOf(options.out),
      maxTokens: making.maxTokens,
      pieces: batch.map(({ key, piece }) => ({ key, piece })),
    };
    this.#waiting.push({ id: idOf(job), job, files: new Set(batch.map(({ one }) => one)) });
  }

  async #fill(): Promise<void> {
    const { lane } = this.#parts;
    const batches = this.#waiting.slice(0, WINDOW - this.#out.size);
    if (batches.length === 0) return;
    await this.#queue(async () => {
      const states = await lane.states(batches.map(({ id }) => id));
      // A dead letter of an earlier run would keep its job from being put there.
      for (const [i, state] of states.entries()) if (state?.failed != null) await lane.remove(batches[i]!.id);
      await lane.add(batches.map(({ id, job }) => ({ jobId: id, priority: 0, data: job, name: INDEX })));
    });
    this.#waiting.splice(0, batches.length);
    for (const batch of batches) this.#out.set(batch.id, batch);
  }

  async #look(): Promise<void> {
    const batches = [...this.#out.values()];
    const states = await this.#queue(() => this.#parts.lane.states(batches.map(({ id }) => id)));
    const missed = new Map<Tracked, string | null>();
    for (const [i, batch] of batches.entries()) {
      const state = states[i]!;
      this.#tell(state);
      if (state !== null && state.failed === null) continue;
      this.#out.delete(batch.id);
      // Of a job of several pieces nobody knows which one it was.
      const failed = batch.job.pieces.length === 1 ? (state?.failed ?? null) : null;
      for (const one of await this.#settle(batch)) missed.set(one, missed.get(one) ?? failed);
      this.#progress();
    }
    for (const [one, failed] of missed) await this.#again(one, failed);
  }

  /** Whatever a worker waits for. */
  #tell(state: JobState | null): void {
    if (state?.said == null || state.failed !== null) return;
    const { waits } = Object(JSON.parse(state.said)) as { waits?: unknown };
    if (typeof waits === 'string') this.#sayOnce(`A worker waits: ${waits}`);
  }

  #sayOnce(message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#parts.say(message);
  }

  /** Takes what a job has made, and gives the files of which it has not made all. */
  async #settle({ job, files }: Batch): Promise<Tracked[]> {
    const missed: Tracked[] = [];
    for (const one of files) {
      const own = job.pieces.filter(({ key }) => this.#lacks(one, key));
      for (const { key } of own) await this.#gather(one, key, true);
      if (own.some(({ key }) => this.#lacks(one, key))) missed.push(one);
    }
    return missed;
  }

  /** Puts what is missing of a file on the queue again, piece by piece, as the file is now. */
  async #again(one: Tracked, failed: string | null): Promise<void> {
    const pieces = await this.#cut(one.file);
    const same = pieces !== null && JSON.stringify(pieces) === JSON.stringify(one.pieces);
    if (pieces === null) {
      // It is gone: whoever reads it here says so.
      this.#drop(one);
      this.#tracked.splice(this.#tracked.indexOf(one), 1);
      return;
    }
    if (same && failed !== null) return this.#giveUp(one, failed);
    if (!same) {
      if (one.changes === MOST_ROUNDS) return this.#giveUp(one, 'changes while it is being read');
      this.#drop(one);
      this.#bytes.all += bytesOf(pieces);
      Object.assign(one, { pieces, outcomes: pieces.map(() => null), changes: one.changes + 1 });
      await this.#gatherStaged([one]);
    }
    const out = [...this.#out.values(), ...this.#waiting].flatMap(({ job }) => job.pieces);
    const keys = new Set(out.map(({ key }) => key));
    for (const keyed of one.pieces.filter(({ key }) => this.#lacks(one, key) && !keys.has(key))) {
      const tries = (this.#tries.get(keyed.key) ?? 0) + 1;
      if (tries > MOST_ROUNDS) return this.#giveUp(one, 'no worker has made anything of it');
      this.#tries.set(keyed.key, tries);
      this.#put([{ ...keyed, one }]);
    }
  }

  #giveUp(one: Tracked, reason: string): void {
    this.#drop(one);
    this.#failed.set(one, reason);
    one.pieces = [];
    one.outcomes = [];
  }

  /** Forgets what came of a file as it was. */
  #drop({ pieces, outcomes }: Tracked): void {
    this.#bytes.all -= bytesOf(pieces);
    this.#bytes.done -= bytesOf(pieces.filter((_, i) => outcomes[i] !== null));
  }

  /** Reads what was made of a piece, where it is there and whole. */
  async #gather(one: Tracked, key: string, isFresh: boolean): Promise<void> {
    const { staging, making } = this.#parts;
    const bytes = await this.#engine(() => staging.read(key));
    if (bytes === null) return;
    const { outcomes, vectors } = decodePiece(bytes, making.embedder.dimension);
    one.pieces.forEach((piece, i) => {
      if (piece.key !== key || one.outcomes[i] !== null) return;
      one.outcomes[i] = outcomes;
      this.#bytes.done += piece.piece.length;
    });
    for (const [text, vector] of vectors) {
      if (this.#vectors.has(text)) continue;
      this.#vectors.set(text, vector);
      if (isFresh) this.#fresh.add(text);
    }
    for (const outcome of outcomes) if ('passages' in outcome) this.#passages += outcome.passages.length;
  }

  /** What was made of files before. */
  async #gatherStaged(files: readonly Tracked[]): Promise<void> {
    const all = files.flatMap((one) => one.pieces.map(({ key }) => ({ one, key })));
    const found = await this.#engine(() => this.#parts.staging.has(all.map(({ key }) => key)));
    const there = all.filter(({ key }) => found.has(key));
    for (let from = 0; from < there.length; from += AT_A_TIME) {
      const some = there.slice(from, from + AT_A_TIME);
      await Promise.all(some.map(({ one, key }) => this.#gather(one, key, false)));
    }
  }

  #engine<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    const onPause = ({ message }: PragauraError) => this.#sayOnce(`${message} Trying again for a minute.`);
    return untilTaken(work, { ms: AWAY_MS, signal: this.#signal, onPause });
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    return retrying(work, { ms: AWAY_MS, signal: this.#signal, say: this.#parts.say });
  }

  /** Says so while nobody takes jobs up: it is waited for them. */
  async #mindWorkers(): Promise<void> {
    if (performance.now() - this.#lookedAt < ROSTER_MS || this.#out.size === 0) return;
    this.#lookedAt = performance.now();
    const { store, configuration, options } = this.#parts;
    const live = await this.#queue(() => liveWorkers(store));
    if (live.some((worker) => worker.configuration === configuration)) return;
    const others = live.map(
      ({ host, made }) => ` One on ${host} is of another kind: ${JSON.stringify(made)}.`,
    );
    this.#sayOnce(
      `No worker takes these jobs, and they wait for one: pragaura index-worker --backend … (${this.#kind()}), with the same --redis and --queue ${options.queue}.${[...new Set(others)].join('')}`,
    );
  }

  #kind(): string {
    const { engine, embedder, version } = configurationFor(
      this.#parts.options.backend,
      this.#parts.making.embedder,
    ).made;
    return `${engine}, embedder ${embedder.name}, version ${version}`;
  }

  #progress(): void {
    const { done, all } = this.#bytes;
    const share = all === 0 ? 1 : done / all;
    const detail = `${this.#out.size + this.#waiting.length} jobs left`;
    this.#parts.call.onProgress?.({ stage: 'embed', done: this.#passages, total: undefined, detail, share });
  }

  #outcomes(): Map<InputFile, Outcome[]> {
    const outcomes = this.#tracked.map((one): [InputFile, Outcome[]] => [
      one.file,
      one.outcomes.flatMap((some) => some ?? []),
    ]);
    for (const [{ file }, reason] of this.#failed) {
      outcomes.push([file, [{ name: file.name, code: 'JOB_FAILED', reason }]]);
    }
    return new Map(outcomes);
  }
}

function bytesOf(pieces: readonly KeyedPiece[]): number {
  return pieces.reduce((sum, { piece }) => sum + piece.length, 0);
}
