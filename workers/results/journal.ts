/** How far a reader of results has come, on disk: so that every result is written once, whoever dies when. */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, PragauraError } from '../../errors.ts';
import { holderOf, tryFileLock } from '../../file-lock.ts';
import { isSystemError, systemReason } from '../../system-error.ts';
import { writeWholeFile } from '../../whole-file.ts';

const Line = z.strictObject({
  schema: z.literal('pragaura.cursor/1').optional(),
  /** Of the Redis that was read. */
  epoch: z.string(),
  /** The last entry of its stream that was written. */
  after: z.string(),
  /** Jobs of the ledger that were written in order. */
  position: z.number().int().min(0),
  /** Length of the output file by then; null for standard output. */
  bytes: z.number().int().min(0).nullable(),
  /** What was written since the line before: job ids with how often they were decided anew. */
  written: z.array(z.string()),
});
type Line = z.infer<typeof Line>;
export type Place = Pick<Line, 'epoch' | 'after' | 'position' | 'bytes'>;

const HINT = 'Name another file with --cursor.';
/** Results that are remembered, so that a job that was decided twice is written once. */
const MOST_REMEMBERED = 1_000_000;

export class Journal {
  place: Place;
  readonly #written: Set<string>;
  readonly #handle: FileHandle | null;
  readonly #file: string | null;
  readonly #release: () => void;

  private constructor(
    place: Place,
    written: Set<string>,
    file: string | null,
    handle: FileHandle | null,
    release: () => void,
  ) {
    this.place = place;
    this.#written = written;
    this.#file = file;
    this.#handle = handle;
    this.#release = release;
  }

  /** One that is forgotten when the process ends. */
  static forgetful(): Journal {
    return new Journal(START, new Set(), null, null, () => {});
  }

  /** Goes on where the file says; from the beginning where there is none. Throws WRITE_FAILED, UNREADABLE_DOCUMENT. */
  static async open(file: string): Promise<Journal> {
    const release = lockedBy(file);
    try {
      const lines = await linesOf(file);
      const last = lines.at(-1);
      const place: Place = last === undefined ? START : { ...last };
      const written = new Set(lines.flatMap((line) => line.written).slice(-MOST_REMEMBERED));
      // One line for all: it grows by the run, not for ever.
      await writeWholeFile(file, lineFrom(place, [...written], true), HINT);
      return new Journal(place, written, file, await open(file, 'a'), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  has(key: string): boolean {
    return this.#written.has(key);
  }

  /** Remembers what was written, once the output has it. Throws WRITE_FAILED. */
  async note(place: Place, written: readonly string[]): Promise<void> {
    try {
      await this.#handle?.appendFile(lineFrom(place, written, false));
      await this.#handle?.datasync();
    } catch (error) {
      throw cannotWrite(this.#file!, error);
    }
    this.place = place;
    for (const key of written) this.#written.add(key);
    for (const key of this.#written) {
      if (this.#written.size <= MOST_REMEMBERED) break;
      this.#written.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#release();
  }
}

const START: Place = { epoch: '', after: '0-0', position: 0, bytes: null };

function lineFrom(
  { epoch, after, position, bytes }: Place,
  written: readonly string[],
  first: boolean,
): string {
  const line: Line = { epoch, after, position, bytes, written: [...written] };
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
  const why = isSystemError(error) ? systemReason(error) : messageOf(error);
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
