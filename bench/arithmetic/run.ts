import { readFile, writeFile } from 'node:fs/promises';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { ModelChoice } from '../../scorers/index.ts';
import { compareArithmetic, renderArithmetic } from './compare.ts';
import { ArithmeticRecord, recordArithmetic } from './record.ts';

export interface ArithmeticOptions {
  data: string;
  models: ModelChoice;
  n: number;
  record: string | undefined;
  label: string;
  widen: boolean | undefined;
  softmax: boolean;
  compare: readonly string[];
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
  return renderArithmetic(records, compareArithmetic(records));
}

async function readRecord(file: string): Promise<ArithmeticRecord> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  try {
    return ArithmeticRecord.parse(JSON.parse(text));
  } catch (error) {
    throw new PragauraError('UNREADABLE_DOCUMENT', `${file} is no record of "bench arithmetic --record".`, {
      cause: error,
    });
  }
}
