/** Reads results as they come or in the order of a ledger, and writes each of them once. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError, toLine } from '../../common/index.ts';
import { type QueueStore, retrying } from '../queue/index.ts';
import type { LedgerJob } from '../submit/index.ts';
import type { JobResult } from '../types.ts';
import type { Journal, Place } from './journal.ts';
import type { Output } from './output.ts';

/** A job whose result is wanted. */
export type Wanted = Pick<LedgerJob, 'jobId' | 'configuration'>;

/** How far one has come in an order when a job is done. */
type Standing = Pick<Place, 'position' | 'passed'>;

export interface ReadOptions {
  /** On a connection of its own, which this blocks. */
  listening: QueueStore;
  store: QueueStore;
  journal: Journal;
  output: Output;
  signal: AbortSignal;
  say: (message: string) => void;
  /** Told how many were written so far. */
  progress: (written: number) => void;
}

export interface ReadSummary {
  decisions: number;
  errors: number;
  outputClosed: boolean;
}

/** Before the first entry of the stream of results. */
const BEGINNING = '0-0';
const MOST_AT_ONCE = 100;
const BLOCK_MS = 1_000;
const LOOK_AGAIN_MS = 2_000;
const SHORTEST_POLL_MS = 20;
const LONGEST_POLL_MS = 500;

export class ResultReader {
  readonly #options: ReadOptions;
  readonly summary: ReadSummary = { decisions: 0, errors: 0, outputClosed: false };

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** Says how many results nobody will ever read here, if any. */
  async warnOfUnread(): Promise<void> {
    const { unread } = await this.#patiently(() => this.#options.store.tally());
    if (unread === 0) return;
    this.#options.say(
      `${unread} results were removed before anybody had read them, because they were too old; submitted again, their queries are decided again.`,
    );
  }

  /**
   * Results as they were written, of one tenant or all; ends when there are no more, or never with `follow`.
   * `wanted`: only these jobs, until there are none left; those that are written are taken out. They are looked for from
   * the beginning, and how far is not noted: another reader may have passed them over, and may want the others. Throws
   * JOB_LOST where Redis has neither one of them nor its result.
   */
  async asTheyCome(tenant: string | null, follow: boolean, wanted?: Map<string, Wanted>): Promise<void> {
    const { journal, signal } = this.#options;
    let place: Place = { ...journal.place };
    let from = wanted === undefined ? place.after : BEGINNING;
    let looked = performance.now();
    for (const key of journal.written()) wanted?.delete(jobIn(key));
    while (!signal.aborted && !this.summary.outputClosed && wanted?.size !== 0) {
      const { epoch } = place;
      place = await this.#sameRedis(place);
      if (place.epoch !== epoch) from = BEGINNING;
      const entries = await this.#entriesAfter(from, follow || wanted !== undefined);
      const mine = entries.filter(
        (entry) =>
          (tenant === null || entry.tenant === tenant) && (wanted === undefined || wanted.has(entry.jobId)),
      );
      // One may have been taken back just now, to be decided anew: then it comes again.
      const results = (await this.#lookUp(mine.map(({ jobId }) => jobId))).filter(
        (result) => result !== null,
      );
      const last = entries.at(-1)?.entry;
      if (last !== undefined) {
        from = last;
        if (wanted === undefined) place = { ...place, after: from };
        const fresh = results.filter((result) => !journal.has(keyOf(result)));
        const changed = wanted === undefined || fresh.length > 0;
        if (changed && !(await this.#write(place, fresh))) return;
        for (const { jobId } of results) wanted?.delete(jobId);
      } else if (!follow && wanted === undefined) return;
      if (wanted !== undefined && performance.now() - looked > LOOK_AGAIN_MS) {
        looked = performance.now();
        await this.#checkThere([...wanted.values()]);
      }
    }
  }

  /**
   * Results in the order of `jobs`, from where the journal stands in them; passes over those that are written, and ends
   * with them. Throws JOB_LOST as above.
   */
  async inOrder(jobs: () => AsyncIterable<Wanted>): Promise<void> {
    const { journal, signal } = this.#options;
    const start = await this.#positionIn(jobs());
    const written = new Set([...journal.written()].map(jobIn));
    const passing = createHash('sha256');
    let position = 0;
    let batch: (Wanted & Standing)[] = [];
    const flush = async () => {
      while (batch.length > 0 && !signal.aborted && !this.summary.outputClosed) {
        const results = await this.#upToTheFirstMissing(batch);
        const last = batch[results.length - 1];
        if (last === undefined) continue;
        await this.#write({ ...journal.place, position: last.position, passed: last.passed }, results);
        batch = batch.slice(results.length);
      }
    };
    for await (const job of jobs()) {
      position += 1;
      passing.update(job.jobId);
      if (position <= start || written.has(job.jobId)) continue;
      batch.push({ ...job, position, passed: passing.copy().digest('hex') });
      if (batch.length >= MOST_AT_ONCE) await flush();
      if (signal.aborted || this.summary.outputClosed) return;
    }
    await flush();
  }

  /** Where the journal stands in these jobs: at their beginning where those that it passed are others. */
  async #positionIn(jobs: AsyncIterable<Wanted>): Promise<number> {
    const { position, passed } = this.#options.journal.place;
    const passing = createHash('sha256');
    let count = 0;
    for await (const { jobId } of jobs) {
      if (count === position) break;
      passing.update(jobId);
      count += 1;
    }
    return passing.digest('hex') === passed ? position : 0;
  }

  /** Waits until at least the first is there; none when it was told to stop. */
  async #upToTheFirstMissing(jobs: readonly Wanted[]): Promise<JobResult[]> {
    const { signal } = this.#options;
    let wait = SHORTEST_POLL_MS;
    let looked = performance.now();
    while (!signal.aborted) {
      const results = await this.#lookUp(jobs.map(({ jobId }) => jobId));
      const missing = results.indexOf(null);
      const there = results.slice(0, missing === -1 ? results.length : missing) as JobResult[];
      if (there.length > 0) return there;
      if (performance.now() - looked > LOOK_AGAIN_MS) {
        looked = performance.now();
        await this.#checkThere(jobs.slice(0, 1));
      }
      await sleep(wait, undefined, { signal }).catch(() => {});
      wait = Math.min(wait * 2, LONGEST_POLL_MS);
    }
    return [];
  }

  async #write(place: Place, results: readonly JobResult[]): Promise<boolean> {
    const { journal, output, store, progress } = this.#options;
    const lines = results.map(lineOf);
    if (lines.length > 0 && !(await output.write(lines.join('')))) {
      this.summary.outputClosed = true;
      return false;
    }
    await journal.note({ ...place, bytes: output.bytes }, results.map(keyOf));
    await this.#patiently(() => store.collect(results.map(({ jobId }) => jobId)));
    for (const { error } of results) this.summary[error === undefined ? 'decisions' : 'errors'] += 1;
    progress(this.summary.decisions + this.summary.errors);
    return true;
  }

  async #entriesAfter(after: string, wait: boolean) {
    const { listening, signal } = this.#options;
    try {
      return await this.#patiently(() => listening.done(after, MOST_AT_ONCE, wait ? BLOCK_MS : null));
    } catch (error) {
      // The connection is ended to end the waiting.
      if (signal.aborted) return [];
      throw error;
    }
  }

  /** Another Redis, or one that came back empty, is read from its beginning: what is known is passed over. */
  async #sameRedis(place: Place): Promise<Place> {
    const epoch = await this.#patiently(() => this.#options.store.epoch());
    if (epoch === place.epoch) return place;
    if (place.epoch !== '')
      this.#options.say('Redis came back empty, or is another one: reading it from its beginning.');
    return { ...place, epoch, after: BEGINNING };
  }

  async #checkThere(jobs: readonly Wanted[]): Promise<void> {
    const { store } = this.#options;
    const lost: string[] = [];
    for (let from = 0; from < jobs.length; from += MOST_AT_ONCE) {
      const some = jobs.slice(from, from + MOST_AT_ONCE);
      const there = await Promise.all(
        some.map(
          async ({ configuration, jobId }) =>
            (await this.#patiently(() => store.inQueue(configuration, [jobId])))[0]!,
        ),
      );
      const absent = some.filter((_, i) => !there[i]).map(({ jobId }) => jobId);
      // In this order: a job that was finished in between has its result by now.
      const results = await this.#lookUp(absent);
      lost.push(...absent.filter((_, i) => results[i] === null));
    }
    if (lost.length === 0) return;
    throw new PragauraError(
      'JOB_LOST',
      `${lost.length} jobs of the ledger are not in Redis any more and have no result: Redis came back without them.`,
      { hint: 'Submit them again, then read on: pragaura submit --ledger FILE --resubmit' },
    );
  }

  #lookUp(jobIds: readonly string[]): Promise<(JobResult | null)[]> {
    return this.#patiently(() => this.#options.store.lookUp(jobIds));
  }

  #patiently<T>(run: () => Promise<T>): Promise<T> {
    const { signal, say } = this.#options;
    return retrying(run, { signal, say });
  }
}

/** What is written once: the result of a job, and anew each time an operator had it decided anew. */
function keyOf({ jobId, generation }: JobResult): string {
  return `${jobId}.${generation}`;
}

function jobIn(key: string): string {
  return key.slice(0, key.lastIndexOf('.'));
}

/** The line that `route` would have written; an error does not know which line its query stood on. */
function lineOf({ id, decision, error }: JobResult): string {
  return toLine(decision ?? { schema: 'pragaura.error/1', id, line: null, error });
}
