import { createReadStream, mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  failureReason,
  holderOf,
  isSystemError,
  PragauraError,
  readLines,
  toLine,
  tryFileLock,
} from '../../common/index.ts';
import { Observation } from '../types.ts';
import { type Context, idOf } from './key.ts';

const FILE = 'observations.ndjson';
const LOCK = 'pragaura.lock';
const HEADER = { schema: 'pragaura.observations/1' };
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;

/**
 * Observations on disk, appended as they are made: a header line, then lines of two kinds, a context before the first
 * observation that was made under it, and observations. A process that is killed leaves at most one torn line, at the
 * end, which the next one cuts off. One process at a time: it holds a lock, which dies with it.
 */
export class ObservationCache {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #release: () => void;
  readonly #found: ReadonlyMap<string, Observation>;
  readonly #contexts: ReadonlyMap<string, Context>;
  #contextWritten: boolean;
  #written: Promise<void> = Promise.resolve();

  private constructor(
    file: string,
    handle: FileHandle,
    release: () => void,
    { found, contexts, contextKnown }: Contents,
  ) {
    this.#file = file;
    this.#handle = handle;
    this.#release = release;
    this.#found = found;
    this.#contexts = contexts;
    this.#contextWritten = contextKnown;
  }

  /**
   * Opens the cache in a folder, which is made where there is none, and reads the observations whose keys are `wanted`.
   * Throws INDEX_LOCKED while another process has it open, CONFIGURATION when another version wrote it,
   * UNREADABLE_DOCUMENT for a damaged line, WRITE_FAILED.
   */
  static async open(dir: string, context: Context, wanted: ReadonlySet<string>): Promise<ObservationCache> {
    const release = locked(dir);
    const file = join(dir, FILE);
    let handle: FileHandle | undefined;
    try {
      handle = await open(file, 'a+');
      if (await cutTornLine(handle)) await handle.appendFile(toLine(HEADER));
      return new ObservationCache(file, handle, release, await read(file, idOf(context), wanted));
    } catch (error) {
      await handle?.close();
      release();
      throw isSystemError(error) ? notWritten(file, error) : error;
    }
  }

  get(key: string): Observation | undefined {
    return this.#found.get(key);
  }

  /** Other contexts under which observations were made that are kept here. */
  get otherContexts(): Context[] {
    return [...this.#contexts.values()];
  }

  /** Appends an observation under `context`; lines never mix, whoever calls. Throws WRITE_FAILED. */
  add(observation: Observation, context: Context): Promise<void> {
    this.#written = this.#written.then(async () => {
      const line = toLine(observation);
      const text = this.#contextWritten ? line : toLine(context) + line;
      this.#contextWritten = true;
      try {
        await this.#handle.appendFile(text);
      } catch (error) {
        throw notWritten(this.#file, error);
      }
    });
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#written.catch(() => {}); // Told to whoever added.
    await this.#handle.sync().catch(() => {}); // What is lost with the machine's power is measured again.
    await this.#handle.close();
    this.#release();
  }
}

interface Contents {
  found: Map<string, Observation>;
  contexts: Map<string, Context>;
  contextKnown: boolean;
}

function locked(dir: string): () => void {
  const path = join(dir, LOCK);
  let release: (() => void) | null;
  try {
    mkdirSync(dir, { recursive: true });
    release = tryFileLock(path);
  } catch (error) {
    throw notWritten(dir, error);
  }
  if (release !== null) return release;
  throw new PragauraError('INDEX_LOCKED', `The cache ${dir} is in use by ${holderOf(path)}.`, {
    hint: `Wait until it is done, or name another folder with --cache. If no such process runs any more, remove ${path}.`,
  });
}

/** Cuts off what stands after the last newline. True when nothing is left. */
async function cutTornLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  const tail = Buffer.alloc(TAIL_BYTES);
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - TAIL_BYTES);
    const { bytesRead } = await handle.read(tail, 0, end - from, from);
    const newline = tail.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) {
      end = from + newline + 1;
      break;
    }
    end = from;
  }
  if (end < size) await handle.truncate(end);
  return end === 0;
}

async function read(file: string, own: string, wanted: ReadonlySet<string>): Promise<Contents> {
  const contents: Contents = { found: new Map(), contexts: new Map(), contextKnown: false };
  let headed = false;
  for await (const { text, number } of readLines(createReadStream(file), MAX_LINE_BYTES)) {
    const record = parsed(text, file, number);
    if (!headed) {
      checkHeader(record, file);
      headed = true;
    } else if (String(record.schema).startsWith('pragaura.observation-context/')) {
      const context = record as unknown as Context;
      if (idOf(context) === own) contents.contextKnown = true;
      else contents.contexts.set(idOf(context), context);
    } else if (wanted.has(String(record.key))) {
      const observation = Observation.safeParse(record);
      if (!observation.success) throw damaged(file, number, observation.error);
      contents.found.set(observation.data.key, observation.data);
    }
  }
  return contents;
}

function parsed(text: string | null, file: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw damaged(file, line, error);
  }
  throw damaged(file, line);
}

function checkHeader(record: Record<string, unknown>, file: string): void {
  if (record.schema === HEADER.schema) return;
  throw new PragauraError(
    'CONFIGURATION',
    `${file} was written by another version (${String(record.schema)}, not ${HEADER.schema}).`,
    { hint: 'Name another folder with --cache, or delete this one; the queries are then measured again.' },
  );
}

function damaged(file: string, line: number, cause?: unknown): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', `${file}, line ${line} is no observation.`, {
    hint: 'Delete the file, or name another folder with --cache; the queries are then measured again.',
    cause,
  });
}

function notWritten(file: string, error: unknown): PragauraError {
  const reason = failureReason(error);
  return new PragauraError('WRITE_FAILED', `${file} cannot be written: ${reason}.`, {
    hint: 'Name another folder with --cache.',
    cause: error,
  });
}
