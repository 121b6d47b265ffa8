/** The file that labels are put into while somebody makes them: whole at any moment, gone on with at the next run. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PragauraError, toLine, writeWholeFile } from '../../common/index.ts';
import { ndjsonExamples } from '../labels/ndjson.ts';
import type { Labelled } from '../types.ts';
import type { Kept } from './session.ts';

const HINT = 'Name another file with --out.';

/**
 * Opens a file of labels (.ndjson), whether or not it is there; what it holds stays as it stands. Beside it, in
 * FILE.skipped, are the ids of proposals that were passed over. Throws USAGE for another kind of file, what reading labels
 * throws, and while kept to WRITE_FAILED.
 */
export async function openLabelFile(
  file: string,
): Promise<Kept & { save(labels: readonly Labelled[]): Promise<void> }> {
  if (!/\.(?:ndjson|jsonl)$/i.test(file)) {
    throw new PragauraError(
      'USAGE',
      `--out is a file of one label a line, named .ndjson or .jsonl, not ${file}.`,
    );
  }
  const lines = new Map<string, string>();
  if (existsSync(file)) {
    // A label by itself may be any; what is refused here `calibrate` would refuse.
    const examples = await ndjsonExamples(file);
    const texts = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    for (const [i, { id }] of examples.entries()) lines.set(id, `${texts[i]!.trim()}\n`);
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
    has: (id) => lines.has(id) || skipped.has(id),
    async add(label) {
      lines.set(label.id, toLine(label));
      await write();
    },
    async save(labels) {
      for (const label of labels) lines.set(label.id, toLine(label));
      await write();
    },
    async skip(id) {
      skipped.add(id);
      await writeSkipped();
    },
    async undo(id) {
      if (lines.delete(id)) await write();
      if (skipped.delete(id)) await writeSkipped();
    },
  };
}
