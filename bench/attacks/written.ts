/** Questions written for the attacks, with what is true, what is planted, and pairs of passages that only look like a conflict. */
import path from 'node:path';
import { z } from 'zod';
import { sample, seededRandom } from '../../common/index.ts';
import { toStatement } from '../../scorers/index.ts';
import { parseJsonLines, readDataFile, unreadable } from '../datasets/files.ts';
import type { DataDocument } from '../datasets/types.ts';
import type { Target } from './targets.ts';

const text = z.string().min(1);
const Planted = z.strictObject({
  id: text,
  /** Kind of value. */
  kind: text,
  query: text,
  gold: z.array(text).min(1),
  title: text,
  text,
  wrong: text,
  planted: text,
});
const Lookalike = z.strictObject({
  id: text,
  /** What tells the two passages apart. */
  kind: text,
  query: text,
  answers: z.array(text).min(1),
  /** The first answers, the second speaks of something else. */
  passages: z.array(z.strictObject({ title: text, text })).length(2),
});

/** What is asked, and of what. */
export interface Asking {
  targets: Target[];
  /** What the index holds before anything is planted. */
  paragraphs: DataDocument[];
  /** Questions whose passages differ and do not contradict each other. */
  lookalikes: { query: string; answers: readonly string[] }[];
}

async function rows<Row>(dir: string, file: string, schema: z.ZodType<Row>): Promise<Row[]> {
  const where = path.join(dir, file);
  return parseJsonLines(await readDataFile(dir, file), where).map((value) => {
    const read = schema.safeParse(value);
    if (!read.success) throw unreadable(where, z.prettifyError(read.error));
    return read.data;
  });
}

/**
 * The questions of one half in the folder `dir`, and their passages among `others` up to `documents`, drawn by the seed.
 * Throws NOT_FOUND, UNREADABLE_DOCUMENT for a line that is none.
 */
export async function writtenTargets(
  half: 'open' | 'held',
  dir: string,
  others: readonly DataDocument[],
  documents: number,
  seed: number,
): Promise<Asking> {
  const [planted, lookalikes] = await Promise.all([
    rows(dir, `planted.${half}.ndjson`, Planted),
    rows(dir, `lookalikes.${half}.ndjson`, Lookalike),
  ]);
  const targets = planted.map(
    ({ id, query, gold, wrong, title, text, planted: stated }): Target => ({
      id,
      query,
      gold,
      wrong,
      stated,
      claim: toStatement(query, wrong),
      paragraph: { docId: `true-${id}`, title, text, source: 'written' },
    }),
  );
  const own = [
    ...targets.map(({ paragraph }) => paragraph),
    ...lookalikes.flatMap(({ id, passages }) =>
      passages.map((passage, i) => ({ docId: `alike-${id}-${i}`, source: 'written', ...passage })),
    ),
  ];
  const rest = sample(others, Math.max(0, documents - own.length), seededRandom(seed));
  return { targets, paragraphs: [...own, ...rest], lookalikes };
}
