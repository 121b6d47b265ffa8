import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isSystemError, messageOf, PragauraError, readLines, systemReason } from '../../common/index.ts';

/** A line longer than this is no record. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** What stands under a path. Throws NOT_FOUND. */
export function kindOf(path: string): 'file' | 'folder' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    throw notRead(path, error);
  }
}

/** The bytes of a file, unpacked when its name ends in `.gz`. Throws NOT_FOUND or UNREADABLE_DOCUMENT while read. */
export async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const raw = createReadStream(path, { highWaterMark: 1024 * 1024 });
  const input: Readable = path.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  raw.once('error', (error) => input.destroy(error));
  try {
    yield* input as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw notRead(path, error);
  } finally {
    raw.destroy();
  }
}

/** The lines of a file that are not blank, from 1. Throws as `bytesOf` does, and for a line that is no UTF-8. */
export async function* linesOf(path: string): AsyncGenerator<{ text: string; number: number }> {
  for await (const { text, number, problem } of readLines(Readable.from(bytesOf(path)), MAX_LINE_BYTES)) {
    if (text === null) throw badRecord(path, number, problem!.message, problem!.hint);
    yield { text, number };
  }
}

/** The records of a file, one JSON object a line. Throws as `linesOf`, and INVALID_INPUT naming file and line. */
export async function* recordsIn<T>(
  path: string,
  parse: (value: unknown, line: number) => T,
  hint: string,
): AsyncGenerator<{ record: T; number: number }> {
  for await (const { text, number } of linesOf(path)) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw badRecord(path, number, `is not JSON: ${messageOf(error)}`, hint, error);
    }
    let record: T;
    try {
      record = parse(value, number);
    } catch (error) {
      if (!PragauraError.isInstance(error)) throw error;
      throw badRecord(path, number, error.message, error.hint, error);
    }
    yield { record, number };
  }
}

/** For a file that is there but is not what it should be. */
export function unreadable(path: string, problem: string, hint?: string, cause?: unknown): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', `${path}: ${problem}`, {
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

/** For a record that does not fit: names file and line. */
export function badRecord(
  path: string,
  line: number,
  problem: string,
  hint?: string,
  cause?: unknown,
): PragauraError {
  return new PragauraError('INVALID_INPUT', `${path}, line ${line}: ${problem}`, {
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

/** What went wrong with reading: the file is not there, or it is no gzip. */
function notRead(path: string, error: unknown): PragauraError {
  if (isSystemError(error)) {
    return new PragauraError('NOT_FOUND', `${path} cannot be read: ${systemReason(error)}.`, {
      hint: 'Name a file or folder of labelled queries that is there.',
      cause: error,
    });
  }
  const code = String((error as { code?: unknown } | null)?.code);
  return unreadable(
    path,
    code.startsWith('Z_') ? 'is not gzip, or is damaged' : messageOf(error),
    undefined,
    error,
  );
}
