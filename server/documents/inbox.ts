/**
 * What callers put into a collection and took out of it, from the moment that it is accepted until it is in the index: a
 * folder a job beside the generations of the index, so that a crash loses none.
 */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  failureReason,
  holderOf,
  isSystemError,
  messageOf,
  PragauraError,
  tryFileLock,
  writeWholeFile,
} from '../../common/index.ts';
import { INBOX } from '../../corpus/index.ts';
import { TooBusy } from '../gate.ts';
import { HttpError } from '../problems.ts';

const documentId = z.string().min(1);

/** What came of a job in the index. */
const Outcome = z.strictObject({
  /** Hash of the index that it led to, as in the `versions` of decisions. */
  index: z.string(),
  /** Documents of that index. */
  documents: z.number().int().min(0),
  /** Documents that could not be read; what the index had of them stays. */
  failed: z.array(z.strictObject({ id: documentId, reason: z.string() })),
  /** Documents that are not in it because others say the same, or because they are links alone. */
  leftOut: z.array(z.strictObject({ id: documentId, reason: z.string() })),
});
export type Outcome = z.infer<typeof Outcome>;

const at = z.iso.datetime();

/** A job as callers see it. */
export const Job = z.strictObject({
  schema: z.literal('pragaura.job/1'),
  id: z.uuid(),
  collection: z.string(),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  accepted: at,
  ended: at.nullable(),
  put: z.array(documentId),
  remove: z.array(documentId),
  /** Why it waits although it could have been done: the disk is full, somebody else writes the index. */
  trouble: z.string().nullable(),
  /** Null until it is done. */
  outcome: Outcome.nullable(),
  /** Whether questions are answered from that index; null until it is done. False: it could not be opened, the log says why. */
  served: z.boolean().nullable(),
  /** Why it failed, and nothing of it was taken up. */
  error: z.string().nullable(),
});
export type Job = z.infer<typeof Job>;

/** A job as it lies in the folder; "running" is no matter of the disk. */
const Kept = Job.omit({ trouble: true }).extend({
  state: z.enum(['queued', 'done', 'failed']),
  caller: z.string(),
  /** The caller's `Idempotency-Key`, and a hash of what came with it. */
  key: z.string().nullable(),
  fingerprint: z.string(),
});

export interface Request {
  caller: string;
  key: string | null;
  fingerprint: string;
  put: readonly { id: string; bytes: Uint8Array }[];
  remove: readonly string[];
}

interface Entry {
  number: number;
  kept: z.infer<typeof Kept>;
  running: boolean;
  trouble: string | null;
}

/** A job of a batch: what to do, and where its files lie. */
export interface Work {
  id: string;
  put: readonly string[];
  remove: readonly string[];
  files: string;
}

export interface InboxLimits {
  /** Jobs that wait at most. */
  waiting: number;
  /** Ended jobs that are remembered, the last ones. */
  remembered: number;
}

const LIMITS: InboxLimits = { waiting: 1000, remembered: 1000 };
const JOB = /^job-(\d{9})$/;
const HINT = 'May this server write into the folder of the index, and is there room?';

export class Inbox {
  readonly dir: string;
  readonly #collection: string;
  readonly #limits: InboxLimits;
  readonly #release: () => void;
  readonly #jobs: Map<string, Entry>;
  /** By caller and key: what is being written. */
  readonly #arriving = new Map<string, { fingerprint: string; job: Promise<Job> }>();
  #next: number;
  /** Told that there is work. */
  onWork: () => void = () => {};

  private constructor(
    dir: string,
    collection: string,
    release: () => void,
    entries: Entry[],
    limits: InboxLimits,
  ) {
    this.dir = dir;
    this.#collection = collection;
    this.#release = release;
    this.#limits = limits;
    this.#jobs = new Map(entries.map((entry) => [entry.kept.id, entry]));
    this.#next = (entries.at(-1)?.number ?? 0) + 1;
  }

  /**
   * Opens the inbox of the index at `index`, with what an earlier server left. Throws INDEX_LOCKED where another server
   * takes documents for it, WRITE_FAILED, CONFIGURATION for a job that is damaged.
   */
  static async open(index: string, collection: string, limits: InboxLimits = LIMITS): Promise<Inbox> {
    // Others work on it from another folder.
    const dir = path.resolve(index, INBOX);
    await writing(dir, () => mkdir(dir, { recursive: true }));
    const lock = path.join(dir, 'lock');
    const release = tryFileLock(lock);
    if (release === null) {
      throw new PragauraError(
        'INDEX_LOCKED',
        `Another server takes documents for ${index}: ${holderOf(lock)}.`,
        { hint: 'Let one of them take documents; the others take up what it writes.' },
      );
    }
    try {
      const entries: Entry[] = [];
      for (const name of (await readdir(dir)).sort()) {
        const number = JOB.exec(name)?.[1];
        if (number !== undefined) {
          const kept = await readJob(path.join(dir, name));
          entries.push({ number: Number(number), kept, running: false, trouble: null });
        } else if (name !== 'lock') await rm(path.join(dir, name), { recursive: true, force: true });
      }
      return new Inbox(dir, collection, release, entries, limits);
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): void {
    this.#release();
  }

  /** Null where there is none of this id. */
  job(id: string): Job | null {
    const entry = this.#jobs.get(id);
    if (entry === undefined) return null;
    const { caller: _, key: __, fingerprint: ___, ...job } = entry.kept;
    const state = job.state === 'queued' && entry.running ? 'running' : job.state;
    return { ...job, state, trouble: entry.trouble };
  }

  /** Whether a document is on its way into the index, or out of it; null: neither. */
  coming(id: string): 'put' | 'remove' | null {
    const last = this.#queued().findLast(({ kept }) => kept.put.includes(id) || kept.remove.includes(id));
    if (last === undefined) return null;
    return last.kept.put.includes(id) ? 'put' : 'remove';
  }

  /**
   * Takes a request in, or gives the job that the caller's key already led to: once this resolves it is on the disk.
   * Throws TOO_BUSY where too many wait and WRITE_FAILED, nothing of it is then taken; 422 where something else came with
   * the key. `accepting`: told of a new job before it is one; where it throws there is none.
   */
  async accept(request: Request, accepting: (job: string) => Promise<void> = async () => {}): Promise<Job> {
    const { caller, key, fingerprint } = request;
    if (key === null) return this.#accept(request, accepting);
    const name = JSON.stringify([caller, key]);
    const before =
      this.#arriving.get(name) ??
      [...this.#jobs.values()].find(({ kept }) => kept.caller === caller && kept.key === key)?.kept;
    if (before === undefined) {
      const job = this.#accept(request, accepting);
      this.#arriving.set(name, { fingerprint, job });
      return job.finally(() => this.#arriving.delete(name));
    }
    if (before.fingerprint !== fingerprint) {
      throw new HttpError(422, 'This Idempotency-Key came with another request before.', 'Use a new one.');
    }
    return 'job' in before ? before.job : this.job(before.id)!;
  }

  async #accept(request: Request, accepting: (job: string) => Promise<void>): Promise<Job> {
    if (this.#queued().length >= this.#limits.waiting) {
      throw new TooBusy('More documents wait than are taken on.', 30);
    }
    const number = this.#next++;
    const kept: Entry['kept'] = {
      schema: 'pragaura.job/1',
      id: randomUUID(),
      collection: this.#collection,
      state: 'queued',
      accepted: new Date().toISOString(),
      ended: null,
      put: request.put.map(({ id }) => id),
      remove: [...request.remove],
      outcome: null,
      served: null,
      error: null,
      caller: request.caller,
      key: request.key,
      fingerprint: request.fingerprint,
    };
    const entry: Entry = { number, kept, running: false, trouble: null };
    const part = path.join(this.dir, `part-${kept.id}`);
    try {
      await writing(this.dir, async () => {
        for (const { id, bytes } of request.put) {
          await writeWholeFile(path.join(part, 'put', ...id.split('/')), bytes, HINT);
        }
        await writeWholeFile(path.join(part, 'job.json'), JSON.stringify(kept), HINT);
        await accepting(kept.id);
        await rename(part, this.#folder(entry));
        await syncFolder(this.dir);
      });
    } catch (error) {
      await rm(part, { recursive: true, force: true }).catch(() => {});
      throw error;
    }
    this.#jobs.set(kept.id, entry);
    this.onWork();
    return this.job(kept.id)!;
  }

  /** Jobs that wait, oldest first. */
  waiting(): Work[] {
    return this.#queued().map((entry) => ({
      id: entry.kept.id,
      put: entry.kept.put,
      remove: entry.kept.remove,
      files: path.join(this.#folder(entry), 'put'),
    }));
  }

  /** Says of jobs that they are worked on, or why they still wait. */
  mark(ids: readonly string[], state: { running: boolean; trouble: string | null }): void {
    for (const id of ids) Object.assign(this.#jobs.get(id)!, state);
  }

  /** Notes what came of a job, and forgets its files. Throws WRITE_FAILED. */
  async finish(id: string, result: { outcome: Outcome; served: boolean } | { error: string }): Promise<void> {
    const entry = this.#jobs.get(id)!;
    const state = 'error' in result ? ('failed' as const) : ('done' as const);
    const kept = { ...entry.kept, ...result, state, ended: new Date().toISOString() };
    const folder = this.#folder(entry);
    await writeWholeFile(path.join(folder, 'job.json'), JSON.stringify(kept), HINT);
    Object.assign(entry, { kept, running: false, trouble: null });
    await rm(path.join(folder, 'put'), { recursive: true, force: true }).catch(() => {});
    await this.#forget();
  }

  /** A folder with the documents of these jobs as they are after the last of them, made anew. Throws WRITE_FAILED. */
  async stage(work: readonly Work[]): Promise<{ folder: string; put: string[]; remove: string[] }> {
    const folder = path.join(this.dir, 'staged');
    const last = new Map<string, string | null>();
    for (const { put, remove, files } of work) {
      for (const id of remove) last.set(id, null);
      for (const id of put) last.set(id, files);
    }
    return writing(this.dir, async () => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      for (const [id, files] of last) {
        const parts = id.split('/');
        if (files !== null) await cp(path.join(files, ...parts), path.join(folder, ...parts));
      }
      const ids = [...last.keys()];
      return {
        folder,
        put: ids.filter((id) => last.get(id) !== null),
        remove: ids.filter((id) => last.get(id) === null),
      };
    });
  }

  #queued(): Entry[] {
    return [...this.#jobs.values()]
      .filter(({ kept }) => kept.state === 'queued')
      .sort((a, b) => a.number - b.number);
  }

  #folder({ number }: Pick<Entry, 'number'>): string {
    return path.join(this.dir, `job-${String(number).padStart(9, '0')}`);
  }

  async #forget(): Promise<void> {
    const ended = [...this.#jobs.values()].filter(({ kept }) => kept.state !== 'queued');
    for (const entry of ended.slice(0, -this.#limits.remembered)) {
      await rm(this.#folder(entry), { recursive: true, force: true }).catch(() => {});
      this.#jobs.delete(entry.kept.id);
    }
  }
}

async function readJob(folder: string): Promise<Entry['kept']> {
  const file = path.join(folder, 'job.json');
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new PragauraError('CONFIGURATION', `${file} is no job of ours: ${messageOf(error)}`, {
      hint: `Put back its last sound version, or remove ${folder}: what it would have changed is then lost.`,
      cause: error,
    });
  }
}

async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writing<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    const why = failureReason(cause);
    throw new PragauraError('WRITE_FAILED', `${dir} cannot be written: ${why}.`, { hint: HINT, cause });
  }
}
