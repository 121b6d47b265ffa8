/** Measures a table of the pages anew: its command in a process of its own, and what it found into the result file. */
import path from 'node:path';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { modelNames } from '../../scorers/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import { readJsonFile } from '../measure/json-file.ts';
import { type ExecuteOptions, execute, gapOf, type Outcome } from '../repro/execute.ts';
import type { Run } from '../repro/matrix.ts';
import { commandTyped, keepFigures, readFigures } from './figures-file.ts';
import { MEASUREMENTS, type Measured } from './measurements.ts';
import { RESULTS } from './pages.ts';
import type { Shipped } from './shipped.ts';

/** Names that can be measured by one command. */
export const MEASURABLE = Object.keys(MEASUREMENTS).filter(
  (name) => MEASUREMENTS[name]!.measured !== undefined,
);

const WHAT = 'table that one command measures';

/** The names in a list with commas; "all": all of them. Throws USAGE for one that is none of `MEASURABLE`. */
export function measurable(names: string): readonly string[] {
  return names === 'all' ? MEASURABLE : names.split(',').map((name) => oneOf(MEASURABLE, name, WHAT));
}

/** The run behind one of `MEASURABLE`, under the name that it is kept by. Throws USAGE for another name. */
export function runBehind(
  name: string,
  id: string,
): Pick<Run, 'id' | 'before' | 'command' | 'result' | 'needs'> {
  const { before = [], command, result, needs } = measuredBy(name);
  return {
    id,
    before: before.map((each) => [...each]),
    command: [...command],
    result,
    needs: [...needs],
  };
}

function measuredBy(name: string): Measured {
  return MEASUREMENTS[oneOf(MEASURABLE, name, WHAT)]!.measured!;
}

/**
 * Keeps what the run `id` found in the result file of `name` in the repository at `dir`; gives that file. Throws
 * NOT_FOUND or CONFIGURATION for a file beside the result that is not there or damaged, WRITE_FAILED.
 */
export async function keepMeasured(
  name: string,
  id: string,
  dir: string,
  shipped: Shipped,
  outcome: Extract<Outcome, { kind: 'done' }>,
  { folder }: Pick<ExecuteOptions, 'folder'>,
): Promise<string> {
  const { before = [], command, beside = [], keep = (whole: never) => whole } = measuredBy(name);
  const others = await Promise.all(
    beside.map((file) =>
      readJsonFile(path.join(folder, id, 'out', file), z.unknown(), {
        what: 'result',
        hint: 'Measure it again with --fresh.',
      }),
    ),
  );
  const file = `${RESULTS}/${name}.json`;
  const report = keep(outcome.result as never, ...(others as never[]));
  // What was run before, and is kept already, is not of today.
  if (outcome.earlier && (await holds(path.join(dir, file), report))) return file;
  await keepFigures(path.join(dir, file), {
    command: [...before, command].map(commandTyped).join(', then '),
    models: modelNames(shipped),
    data: outcome.data,
    seconds: Math.round(outcome.seconds),
    report,
  });
  return file;
}

async function holds(file: string, report: unknown): Promise<boolean> {
  try {
    return JSON.stringify((await readFigures(file)).report) === JSON.stringify(report);
  } catch (error) {
    // None yet, or a damaged one: it is written.
    if (PragauraError.isInstance(error)) return false;
    throw error;
  }
}

/**
 * Measures one and writes its result file in the repository at `dir`; gives that file. Throws USAGE for a name that is
 * none of `MEASURABLE`, NOT_FOUND for data that is missing or is not what it should be, ABORTED, INTERNAL when the
 * command fails, and what `keepMeasured` throws.
 */
export async function measure(
  name: string,
  dir: string,
  shipped: Shipped,
  options: ExecuteOptions,
): Promise<string> {
  const outcome = await execute(runBehind(name, name), options);
  switch (outcome.kind) {
    case 'done':
      return keepMeasured(name, name, dir, shipped, outcome, options);
    case 'missing':
      throw new PragauraError('NOT_FOUND', `${name} needs ${outcome.files.join(', ')}.`, {
        hint: 'Name the folder of the public data sets with --data.',
      });
    case 'interrupted':
      throw new PragauraError(
        'ABORTED',
        `${name} was interrupted; it goes on where it stopped when it is called again.`,
      );
    case 'foreign':
      throw new PragauraError('NOT_FOUND', `${name}: ${gapOf(outcome)}.`, {
        hint: 'bench/repro/data/sets.yaml has the hashes of the files whose terms are known.',
      });
    case 'failed':
    case 'killed':
      throw new PragauraError('INTERNAL', `${name}: ${gapOf(outcome)}.`);
  }
}
