import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { messageOf, PragauraError } from '../../common/index.ts';

const unzip = promisify(gunzip);

/**
 * The text (UTF-8) of a file of the data folder, unpacked when its name ends in `.gz`.
 * Throws NOT_FOUND naming the file that is missing, UNREADABLE_DOCUMENT when it cannot be unpacked.
 */
export async function readDataFile(dir: string, file: string): Promise<string> {
  const where = path.join(dir, file);
  let bytes: Buffer;
  try {
    bytes = await readFile(where);
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The data set needs ${where}, which cannot be read.`, {
      hint: `Name the folder that holds ${file} with --data.`,
      cause: error,
    });
  }
  if (!file.endsWith('.gz')) return bytes.toString('utf8');
  try {
    return (await unzip(bytes)).toString('utf8');
  } catch (error) {
    throw unreadable(where, messageOf(error), error);
  }
}

/** Parsed JSON, or UNREADABLE_DOCUMENT naming the file (and line). */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(where, messageOf(error), error);
  }
}

/** One JSON value a line; blank lines are skipped. */
export function parseJsonLines(text: string, where: string): unknown[] {
  return text
    .split('\n')
    .flatMap((line, place) => (line.trim() === '' ? [] : [parseJson(line, `${where}, line ${place + 1}`)]));
}

/** For a file that is there but is not what its name promises. */
export function unreadable(where: string, problem: string, cause?: unknown): PragauraError {
  return new PragauraError('UNREADABLE_DOCUMENT', `${where} is not the data set expected: ${problem}`, {
    cause,
  });
}

/**
 * The rows of a file of tab-separated values whose first line names the columns; fields are never quoted. Throws
 * UNREADABLE_DOCUMENT where one of `columns` is missing or a row has another number of fields.
 */
export function parseTsv<Column extends string>(
  text: string,
  file: string,
  columns: readonly Column[],
): Record<Column, string>[] {
  let rows: Record<Column, string>[];
  try {
    rows = parse(text, { columns: true, delimiter: '\t', quote: false, skip_empty_lines: true });
  } catch (error) {
    throw unreadable(file, messageOf(error));
  }
  const missing = columns.filter((column) => rows[0]?.[column] === undefined);
  if (missing.length > 0) throw unreadable(file, `it has no column ${missing.join(' and no ')}`);
  return rows;
}
