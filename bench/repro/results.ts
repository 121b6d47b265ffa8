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
import { Hashes, Made } from '../figures/figures-file.ts';
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

/** Of a run, when it was last run. */
const RunMade = Made.extend({
  /** sha256 of the data files that it read; left out: not written down yet at that time. */
  data: Hashes.optional(),
});
export type RunMade = z.infer<typeof RunMade>;

const ResultsFile = z.strictObject({
  schema: z.literal('pragaura.repro-results/2'),
  runs: z.record(Id, RunMade),
  rows: z.record(Id, Result),
});

/** By id of the row; a row that was never run is not in it. */
export type Results = ReadonlyMap<string, Result>;

/** What is kept of a matrix. */
export interface Kept {
  rows: Results;
  /** By id of the run, of its last time; one from before this was written down is not in it. */
  runs: ReadonlyMap<string, RunMade>;
}

export function resultsFile(dir: string, name: string): string {
  return path.join(dir, `${name}.results.json`);
}

/**
 * What was found of the matrix `name` of the folder; nothing where there is no file. Throws NOT_FOUND where it cannot be
 * read, CONFIGURATION where it is damaged.
 */
export async function readResults(dir: string, name: string): Promise<Kept> {
  const file = resultsFile(dir, name);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { rows: new Map(), runs: new Map() };
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
  const { rows, runs } = parsed.data;
  return { rows: new Map(Object.entries(rows)), runs: new Map(Object.entries(runs)) };
}

/**
 * Puts what was found now into the file and gives what it then holds: the rows and runs of the matrix, in its order, and
 * no others.
 * `written`: the file, unless it held the same before.
 */
export async function mergeResults(
  dir: string,
  matrix: Matrix,
  now: Kept,
): Promise<{ kept: Kept; written: string[] }> {
  const before = await readResults(dir, matrix.name);
  const ids = matrix.runs.flatMap(({ rows }) => rows.map(({ id }) => id));
  const kept = {
    rows: merged(ids, before.rows, now.rows),
    runs: merged(
      matrix.runs.map(({ id }) => id),
      before.runs,
      now.runs,
    ),
  };
  const text = textOf(kept);
  if (text === textOf(before)) return { kept, written: [] };
  const file = resultsFile(dir, matrix.name);
  await writeWholeFile(file, text, 'Figures are kept beside the matrix: may you write into its folder?');
  return { kept, written: [file] };
}

function merged<T>(ids: readonly string[], before: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>) {
  return new Map(
    ids.flatMap((id) => {
      const one = now.get(id) ?? before.get(id);
      return one === undefined ? [] : [[id, one] as const];
    }),
  );
}

function textOf({ rows, runs }: Kept): string {
  const file = {
    schema: 'pragaura.repro-results/2',
    runs: Object.fromEntries(runs),
    rows: Object.fromEntries(rows),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function damaged(file: string, what: string, cause: unknown): PragauraError {
  return new PragauraError('CONFIGURATION', `${file}: ${what}`, {
    hint: 'Put back the last sound version of the file, or remove it: then its rows count as not run until they are run again.',
    cause,
  });
}
