/** The submitter's own book: what it gave to the queue, so that it can tell what the queue has lost. */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  failureReason,
  holderOf,
  isSystemError,
  messageOf,
  PragauraError,
  parseAs,
  readLines,
  systemReason,
  tryFileLock,
} from '../../common/index.ts';
import { Query } from '../../router/index.ts';
import { PRIORITIES } from '../types.ts';

/** Lines after this one, to the next of its kind, were submitted like this. */
const Session = z.strictObject({
  schema: z.literal('pragaura.ledger/1'),
  queue: z.string(),
  configuration: z.string(),
  tenant: z.string(),
  priority: z.enum(PRIORITIES),
  /** Of the Redis that it went to. */
  epoch: z.string(),
});
type How = Omit<z.infer<typeof Session>, 'schema'>;

const Line = z.strictObject({ jobId: z.string(), digest: z.string(), query: Query });
export type LedgerJob = z.infer<typeof Line> & How;

const parseSession = parseAs(Session, 'Name a file that "pragaura submit --ledger" wrote.');
const parseLine = parseAs(Line, 'Name a file that "pragaura submit --ledger" wrote.');
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const HINT = 'Name another file with --ledger.';

/**
 * The jobs of a ledger in the order in which they were submitted, each once. A last line that was cut short by a crash
 * is passed over: its job was never submitted. Throws NOT_FOUND, and UNREADABLE_DOCUMENT for a file that is no ledger.
 */
export async function* readLedger(file: string): AsyncGenerator<LedgerJob> {
  const seen = new Set<string>();
  for await (const { job, session } of linesOf(file)) {
    if (job === null || seen.has(job.jobId)) continue;
    seen.add(job.jobId);
    yield { ...job, ...session };
  }
}

/** Every line with the session that it belongs to; a line that begins a session has no job. */
async function* linesOf(file: string): AsyncGenerator<{ job: z.infer<typeof Line> | null; session: How }> {
  let session: How | null = null;
  let at = 1;
  try {
    const end = await wholeLength(file);
    if (end === 0) return;
    for await (const { number, text } of readLines(
      createReadStream(file, { end: end - 1 }),
      MAX_LINE_BYTES,
    )) {
      at = number;
      const value: unknown = JSON.parse(text ?? '');
      if (Object.hasOwn(Object(value), 'schema')) {
        const { schema: _, ...how } = parseSession(value);
        session = how;
        yield { job: null, session: how };
        continue;
      }
      const job = parseLine(value);
      if (session === null) throw new Error('it does not begin as a ledger does');
      yield { job, session };
    }
  } catch (error) {
    throw unreadable(file, at, error);
  }
}

function unreadable(file: string, line: number, error: unknown): PragauraError {
  if (isSystemError(error)) {
    return new PragauraError('NOT_FOUND', `The ledger ${file} cannot be read: ${systemReason(error)}.`, {
      hint: HINT,
      cause: error,
    });
  }
  return new PragauraError(
    'UNREADABLE_DOCUMENT',
    `${file} is no ledger of this version: line ${line}: ${messageOf(error)}`,
    { hint: HINT, cause: error },
  );
}

/** Bytes up to and with the last newline. */
async function wholeLength(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    let end = (await handle.stat()).size;
    const block = Buffer.alloc(64 * 1024);
    while (end > 0) {
      const from = Math.max(0, end - block.length);
      const { bytesRead } = await handle.read(block, 0, end - from, from);
      const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
      if (newline !== -1) return from + newline + 1;
      end = from;
    }
    return 0;
  } finally {
    await handle.close();
  }
}

/** A ledger that is being written, by this process alone. */
export class Ledger {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #release: () => void;
  readonly #known: Set<string>;
  /** Its last session; null for a new ledger. */
  readonly last: How | null;

  private constructor(
    file: string,
    handle: FileHandle,
    release: () => void,
    known: Set<string>,
    last: How | null,
  ) {
    this.#file = file;
    this.#handle = handle;
    this.#release = release;
    this.#known = known;
    this.last = last;
  }

  /** Throws WRITE_FAILED when it cannot be written or another process has it, UNREADABLE_DOCUMENT when it is none. */
  static async open(file: string): Promise<Ledger> {
    const release = await locked(file);
    try {
      const handle = await open(file, 'a+');
      try {
        await handle.truncate(await wholeLength(file));
        const known = new Set<string>();
        let last: How | null = null;
        for await (const { job, session } of linesOf(file)) {
          last = session;
          if (job !== null) known.add(job.jobId);
        }
        return new Ledger(file, handle, release, known, last);
      } catch (error) {
        await handle.close();
        throw error;
      }
    } catch (error) {
      release();
      throw PragauraError.isInstance(error) ? error : cannotWrite(file, error);
    }
  }

  /** Jobs in it. */
  get size(): number {
    return this.#known.size;
  }

  async begin(session: How): Promise<void> {
    await this.#write(`${JSON.stringify({ schema: 'pragaura.ledger/1', ...session })}\n`);
  }

  /** Resolves when those that were not in it are on the disk. */
  async append(jobs: readonly { jobId: string; digest: string; query: Query }[]): Promise<void> {
    const fresh = jobs.filter(({ jobId }) => !this.#known.has(jobId));
    if (fresh.length === 0) return;
    const lines = fresh.map(({ jobId, digest, query }) => `${JSON.stringify({ jobId, digest, query })}\n`);
    await this.#write(lines.join(''));
    for (const { jobId } of fresh) this.#known.add(jobId);
  }

  async close(): Promise<void> {
    await this.#handle.close();
    this.#release();
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#handle.appendFile(text);
      await this.#handle.datasync();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}

async function locked(file: string): Promise<() => void> {
  const lock = `${file}.lock`;
  let release: ReturnType<typeof tryFileLock>;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    release = tryFileLock(lock);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  if (release !== null) return release;
  throw new PragauraError('WRITE_FAILED', `The ledger ${file} is in use by ${holderOf(lock)}.`, {
    hint: `Wait until it is done. If no such process runs any more, remove ${lock}.`,
  });
}

function cannotWrite(file: string, error: unknown): PragauraError {
  const why = failureReason(error);
  return new PragauraError('WRITE_FAILED', `The ledger ${file} cannot be written: ${why}.`, {
    hint: HINT,
    cause: error,
  });
}
