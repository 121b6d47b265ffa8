/** The file that labels are put into while somebody makes them: whole at any moment, gone on with at the next run. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PragauraError, toLine, writeWholeFile } from '../../common/index.ts';
import { contradictionOf, exampleOf } from '../labels/examples.ts';
import { ndjsonExamples } from '../labels/ndjson.ts';
import { levelOf } from '../levels/level.ts';
import { floorWithoutErrors } from '../thresholds/binomial.ts';
import type { Labelled } from '../types.ts';
import type { Kept } from './session.ts';

const HINT = 'Name another file with --out.';

/**
 * Opens a file of labels (.ndjson), whether or not it is there; what it holds stays as it stands. Beside it, in
 * FILE.skipped, are the ids of proposals that were passed over. Throws USAGE for another kind of file, what reading labels
 * throws, and while kept to WRITE_FAILED.
 */
export async function openLabelFile(file: string): Promise<
  Kept & {
    /** Documents (or what else is never split) that the labels are about. */
    readonly groups: number;
    save(labels: readonly Labelled[]): Promise<void>;
  }
> {
  if (!/\.(?:ndjson|jsonl)$/i.test(file)) {
    throw new PragauraError(
      'USAGE',
      `--out is a file of one label a line, named .ndjson or .jsonl, not ${file}.`,
    );
  }
  const lines = new Map<string, string>();
  const groups = new Map<string, string>();
  const put = (label: Labelled) => {
    lines.set(label.id, toLine(label));
    groups.set(label.id, exampleOf(label).group);
  };
  if (existsSync(file)) {
    // A label by itself may be any; what is refused here `calibrate` would refuse.
    const examples = await ndjsonExamples(file);
    const texts = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    for (const [i, { id, group }] of examples.entries()) {
      lines.set(id, `${texts[i]!.trim()}\n`);
      groups.set(id, group);
    }
  }
  const skips = `${file}.skipped`;
  const known = existsSync(skips) ? (await readFile(skips, 'utf8')).split('\n') : [];
  const skipped = new Set(known.filter((id) => id !== ''));
  const write = () => writeWholeFile(file, [...lines.values()].join(''), HINT);
  const writeSkipped = () => writeWholeFile(skips, [...skipped].map((id) => `${id}\n`).join(''), HINT);
  return {
    get count() {
      return lines.size;
    },
    get groups() {
      return new Set(groups.values()).size;
    },
    has: (id) => lines.has(id) || skipped.has(id),
    async add(label) {
      put(label);
      await write();
    },
    async save(labels) {
      for (const label of labels) put(label);
      await write();
    },
    async skip(id) {
      skipped.add(id);
      await writeSkipped();
    },
    async undo(id) {
      groups.delete(id);
      if (lines.delete(id)) await write();
      if (skipped.delete(id)) await writeSkipped();
    },
  };
}

/** What is wrong with a label that people made one by one: it contradicts itself, or names no document to be counted; null: nothing. */
export function faultOf(label: Labelled): string | null {
  return (
    contradictionOf(label) ??
    (exampleOf(label).ungrouped ? 'it names no document, as "group" or "passages"' : null)
  );
}

/** `calibrate` keeps this share of the documents for thresholds, and fits and tests on the others. */
const FOR_THRESHOLDS = 0.4;

/**
 * Documents that have to be labelled before `calibrate --target risk` could promise a level, with the usual split and
 * delta: all that are kept for thresholds answered, and nothing wrong. `level`: in (0, 1), as a decimal.
 */
export function documentsForRisk(level: string): number {
  const floor = floorWithoutErrors(levelOf('level', level), levelOf('delta', '0.1'));
  return Math.ceil(floor / FOR_THRESHOLDS);
}
