/** Measures a table of the pages anew: its command in a process of its own, and what it found into the result file. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { modelNames } from '../../scorers/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import { type ExecuteOptions, execute } from '../repro/execute.ts';
import { commandTyped, keepFigures } from './figures-file.ts';
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

/**
 * Measures one and writes its result file in the repository at `dir`; gives that file. Throws USAGE for a name that is
 * none of `MEASURABLE`, NOT_FOUND for data that is missing, INTERRUPTED, INTERNAL when the command fails, WRITE_FAILED.
 */
export async function measure(
  name: string,
  dir: string,
  shipped: Shipped,
  options: ExecuteOptions,
): Promise<string> {
  const measured = MEASUREMENTS[oneOf(MEASURABLE, name, WHAT)]!.measured!;
  const { command, result, needs, keep = (whole: never) => whole } = measured;
  const run = { id: name, before: [], command: [...command], result, needs: [...needs] };
  const outcome = await execute(run, options);
  switch (outcome.kind) {
    case 'missing':
      throw new PragauraError('NOT_FOUND', `${name} needs ${outcome.files.join(', ')}.`, {
        hint: 'Name the folder of the public data sets with --data.',
      });
    case 'interrupted':
      throw new PragauraError(
        'ABORTED',
        `${name} was interrupted; it goes on where it stopped when it is called again.`,
      );
    case 'failed':
      throw new PragauraError('INTERNAL', `${name}: ${outcome.why}.`);
    case 'done': {
      const file = `${RESULTS}/${name}.json`;
      await keepFigures(path.join(dir, file), {
        command: commandTyped(command),
        models: modelNames(shipped),
        data: await hashesOf(measured, options.data),
        report: keep(outcome.result as never),
      });
      return file;
    }
  }
}

async function hashesOf({ needs }: Measured, data: string): Promise<Record<string, string>> {
  const hashed = needs.map(async (file) => {
    const hash = createHash('sha256').update(await readFile(path.join(data, file)));
    return [file, hash.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashed));
}
