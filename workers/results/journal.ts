/** How far a reader of results has come, on disk: so that every result is written once, whoever dies when. */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  failureReason,
  holderOf,
  isSystemError,
  PragauraError,
  tryFileLock,
  writeWholeFile,
} from '../../common/index.ts';

const Line = z.strictObject({
  schema: z.literal('pragaura.cursor/1').optional(),
  /** Of the Redis that was read. */
  epoch: z.string(),
  /** The last entry of its stream that was written. */
  after: z.string(),
  /** Jobs of the ledger that were written in order. */
  position: z.number().int().min(0),
  /** SHA-256 of the ids of those jobs, so that the position counts for their ledger only; null where none was noted. */
  passed: z.string().nullable().default(null),
  /** Length of the output file by then; null for standard output. */
  bytes: z.number().int().min(0).nullable(),
  /** What was written since the line before: job ids with how often they were decided anew. */
  written: z.array(z.string()),
});
type Line = z.infer<typeof Line>;
export type Place = Pick<Line, 'epoch' | 'after' | 'position' | 'passed' | 'bytes'>;

const HINT = 'Name another file with --cursor.';
/** Results that are remembered, so that a job that was decided twice is written once. */
const MOST_REMEMBERED = 1_000_000;
/** Bytes that are appended before the file becomes one line again, or as many as that line has, if it is longer. */
const MOST_APPENDED = 4 * 1024 * 1024;

export class Journal {
  place: Place;
  readonly #written: Set<string>;
  readonly #file: CursorFile | null;

  private constructor(place: Place, written: Set<string>, file: CursorFile | null) {
    this.place = place;
    this.#written = written;
    this.#file = file;
  }

  /** One that is forgotten when the process ends. */
  static forgetful(): Journal {
    return new Journal(START, new Set(), null);
  }

  /** Goes on where the file says; from the beginning where there is none. Throws WRITE_FAILED, UNREADABLE_DOCUMENT. */
  static async open(file: string): Promise<Journal> {
    const release = lockedBy(file);
    try {
      const lines = await linesOf(file);
      const last = lines.at(-1);
      const place: Place = last === undefined ? START : { ...last };
      const written = new Set(lines.flatMap((line) => line.written).slice(-MOST_REMEMBERED));
      return new Journal(place, written, await CursorFile.begin(file, place, written, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  has(key: string): boolean {
    return this.#written.has(key);
  }

  /** Everything that is remembered, oldest first. */
  written(): Iterable<string> {
    return this.#written.values();
  }

  /** Remembers what was written, once the output has it. Throws WRITE_FAILED. */
  async note(place: Place, written: readonly string[]): Promise<void> {
    await this.#file?.append(place, written);
    this.place = place;
    for (const key of written) this.#written.add(key);
    for (const key of this.#written) {
      if (this.#written.size <= MOST_REMEMBERED) break;
      this.#written.delete(key);
    }
    await this.#file?.compact(place, this.#written);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

const START: Place = { epoch: '', after: '0-0', position: 0, passed: null, bytes: null };

/** One line of all that is remembered, and a line for each time that something was noted since. */
class CursorFile {
  readonly #file: string;
  readonly #release: () => void;
  #handle: FileHandle;
  #firstBytes: number;
  #appendedBytes = 0;

  private constructor(file: string, release: () => void, { handle, bytes }: FirstLine) {
    this.#file = file;
    this.#release = release;
    this.#handle = handle;
    this.#firstBytes = bytes;
  }

  /** Replaces the file. Throws WRITE_FAILED, and leaves the lock to its owner then. */
  static async begin(
    file: string,
    place: Place,
    written: Iterable<string>,
    release: () => void,
  ): Promise<CursorFile> {
    return new CursorFile(file, release, await firstLine(file, place, written));
  }

  async append(place: Place, written: readonly string[]): Promise<void> {
    const line = lineFrom(place, written, false);
    try {
      await this.#handle.appendFile(line);
      await this.#handle.datasync();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
    this.#appendedBytes += Buffer.byteLength(line);
  }

  /** Makes it one line again, once enough was appended: a reader that follows for months must not fill the disk. */
  async compact(place: Place, written: Iterable<string>): Promise<void> {
    if (this.#appendedBytes < Math.max(MOST_APPENDED, this.#firstBytes)) return;
    const { handle, bytes } = await firstLine(this.#file, place, written);
    const before = this.#handle;
    this.#handle = handle;
    this.#firstBytes = bytes;
    this.#appendedBytes = 0;
    await before.close();
  }

  async close(): Promise<void> {
    await this.#handle.close();
    this.#release();
  }
}

interface FirstLine {
  /** Appends. */
  handle: FileHandle;
  bytes: number;
}

async function firstLine(file: string, place: Place, written: Iterable<string>): Promise<FirstLine> {
  const line = lineFrom(place, written, true);
  await writeWholeFile(file, line, HINT);
  try {
    return { handle: await open(file, 'a'), bytes: Buffer.byteLength(line) };
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function lineFrom(
  { epoch, after, position, passed, bytes }: Place,
  written: Iterable<string>,
  first: boolean,
): string {
  const line: Line = { epoch, after, position, passed, bytes, written: [...written] };
  return `${JSON.stringify(first ? { schema: 'pragaura.cursor/1', ...line } : line)}\n`;
}

async function linesOf(file: string): Promise<Line[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw unreadable(file, error);
  }
  try {
    // What follows the last newline was cut short by a crash, and was not noted.
    const lines = text
      .split('\n')
      .slice(0, -1)
      .map((line) => Line.parse(JSON.parse(line)));
    if (lines.length > 0 && lines[0]!.schema === undefined)
      throw new Error('its first line is none of a cursor');
    return lines;
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, cause: unknown): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', `${file} is no cursor of this version.`, {
    hint: HINT,
    cause,
  });
}

function cannotWrite(file: string, error: unknown): PragauraError {
  const why = failureReason(error);
  return new PragauraError('WRITE_FAILED', `The cursor ${file} cannot be written: ${why}.`, {
    hint: HINT,
    cause: error,
  });
}

function lockedBy(file: string): () => void {
  const lock = `${file}.lock`;
  let release: ReturnType<typeof tryFileLock>;
  try {
    release = tryFileLock(lock);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  if (release !== null) return release;
  throw new PragauraError('WRITE_FAILED', `The cursor ${file} is in use by ${holderOf(lock)}.`, {
    hint: `Wait until it is done. If no such process runs any more, remove ${lock}.`,
  });
}
