import { writeFile } from 'node:fs/promises';
import { canonicalHash, messageOf, PragauraError } from '../../common/index.ts';
import type { ModelChoice } from '../../scorers/index.ts';
import { keepFigures } from '../figures/figures-file.ts';
import { readJsonFile } from '../measure/json-file.ts';
import { compareArithmetic, renderArithmetic } from './compare.ts';
import { ArithmeticRecord, recordArithmetic } from './record.ts';
import { workloadOf } from './workload.ts';

export interface ArithmeticOptions {
  data: string;
  models: ModelChoice;
  n: number;
  record: string | undefined;
  label: string;
  widen: boolean | undefined;
  softmax: boolean;
  compare: readonly string[];
  /** File that the figures of the comparison are kept in for the pages; undefined: none. */
  figures: string | undefined;
}

/** Scores and writes a record where one is wanted, then compares where records are named. Returns what to print. */
export async function benchArithmetic(
  options: ArithmeticOptions,
  say: (line: string) => void,
): Promise<string> {
  const { record, compare } = options;
  if (record === undefined && compare.length === 0)
    throw new PragauraError('USAGE', 'There is nothing to do.', {
      hint: 'Say --record FILE to score here, --compare A B … to hold records against the first.',
    });
  if (record !== undefined) {
    const made = await recordArithmetic(options, say);
    await writeFile(record, `${JSON.stringify(made)}\n`).catch((error: unknown) => {
      throw new PragauraError('WRITE_FAILED', `${record} cannot be written: ${messageOf(error)}`, {
        hint: 'Name another file with --record.',
        cause: error,
      });
    });
  }
  if (compare.length === 0) return '';
  const records = await Promise.all(compare.map(readRecord));
  const rows = compareArithmetic(records);
  if (options.figures !== undefined) {
    const { models, n } = records.at(-1)!;
    const data = { items: canonicalHash(await workloadOf(options.data, n)) };
    await keepFigures(options.figures, { models, data, report: rows });
  }
  return renderArithmetic(records, rows);
}

const readRecord = (file: string): Promise<ArithmeticRecord> =>
  readJsonFile(file, ArithmeticRecord, {
    what: 'record of "bench arithmetic"',
    hint: 'Make one with --record FILE.',
  });
