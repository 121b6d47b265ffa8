/** What was found of the rows of a matrix: a JSON file beside it, from which the tables of the pages are written. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  failureReason,
  isSystemError,
  messageOf,
  PragauraError,
  writeWholeFile,
} from '../../common/index.ts';
import { Id, type Matrix } from './matrix.ts';

/** Of a row, when it was last run. A verdict is not kept: it follows from what the matrix expects. */
const Result = z
  .strictObject({
    /** Null: the run failed, or its result lacks the figure. */
    found: z.number().nullable(),
    /** Why there is no figure. */
    why: z.string().min(1).optional(),
  })
  .refine(({ found, why }) => (found === null) === (why !== undefined), {
    message: 'either a figure is found or "why" says why there is none',
  });
export type Result = z.infer<typeof Result>;

const ResultsFile = z.strictObject({
  schema: z.literal('pragaura.repro-results/1'),
  rows: z.record(Id, Result),
});

/** By id of the row; a row that was never run is not in it. */
export type Results = ReadonlyMap<string, Result>;

export function resultsFile(dir: string, name: string): string {
  return path.join(dir, `${name}.results.json`);
}

/**
 * What was found of the matrix `name` of the folder; nothing where there is no file. Throws NOT_FOUND where it cannot be
 * read, CONFIGURATION where it is damaged.
 */
export async function readResults(dir: string, name: string): Promise<Results> {
  const file = resultsFile(dir, name);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return new Map();
    const why = failureReason(error);
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${why}.`, {
      hint: 'It has to be a file that you may read.',
      cause: error,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(file, `no JSON: ${messageOf(error)}`, error);
  }
  const parsed = ResultsFile.safeParse(value);
  if (!parsed.success) throw damaged(file, z.prettifyError(parsed.error), parsed.error);
  return new Map(Object.entries(parsed.data.rows));
}

/**
 * Puts what was found now into the file and gives what it then holds: the rows of the matrix, in its order, and no others.
 * `written`: the file, unless it held the same before.
 */
export async function mergeResults(
  dir: string,
  matrix: Matrix,
  now: Results,
): Promise<{ results: Results; written: string[] }> {
  const before = await readResults(dir, matrix.name);
  const results = new Map<string, Result>();
  for (const { id } of matrix.runs.flatMap(({ rows }) => rows)) {
    const result = now.get(id) ?? before.get(id);
    if (result !== undefined) results.set(id, result);
  }
  const text = textOf(results);
  if (text === textOf(before)) return { results, written: [] };
  const file = resultsFile(dir, matrix.name);
  await writeWholeFile(file, text, 'Figures are kept beside the matrix: may you write into its folder?');
  return { results, written: [file] };
}

function textOf(results: Results): string {
  const rows = Object.fromEntries(results);
  return `${JSON.stringify({ schema: 'pragaura.repro-results/1', rows }, null, 2)}\n`;
}

function damaged(file: string, what: string, cause: unknown): PragauraError {
  return new PragauraError('CONFIGURATION', `${file}: ${what}`, {
    hint: 'Put back the last sound version of the file, or remove it: then its rows count as not run until they are run again.',
    cause,
  });
}
