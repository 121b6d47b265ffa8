/** What was measured and how it was judged, as JSON lines: a header, then one question a line. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { ACTS } from '../../profiles/index.ts';
import { REASONS } from '../../router/index.ts';
import type { Item } from './judged.ts';
import type { Measured } from './types.ts';

const SCHEMA = 'pragaura.bench-general/1';

const Header = z.object({
  schema: z.literal(SCHEMA),
  machine: z.string(),
  /** Of the router that was measured. */
  models: z.record(z.string(), z.string()),
  arithmetic: z.string(),
  sets: z.array(
    z.object({ name: z.string(), about: z.string(), licence: z.string(), documents: z.number() }),
  ),
});
export type Header = Omit<z.infer<typeof Header>, 'schema'>;

const right = z.boolean().nullable();
const Line = z.object({
  item: z.object({
    set: z.string(),
    group: z.string(),
    act: z.enum(ACTS),
    answerable: z.boolean(),
    closed: z.string().nullable(),
    reason: z.enum(REASONS).nullable(),
    spanOpen: z.boolean(),
    values: z.record(z.string(), z.number().nullable()),
    read: z.array(z.object({ relevance: z.number(), fused: z.number(), right: z.boolean() })),
    right: z.object({ span: right, passage: right, first: right }),
  }),
});

/** A question with all that was measured of it. */
export interface Line {
  item: Item;
  measured: Measured;
}

export function linesOf(header: Header, lines: readonly Line[]): string {
  return [{ schema: SCHEMA, ...header }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Throws NOT_FOUND, and UNREADABLE_DOCUMENT for what `linesOf` did not write. */
export async function readLines(file: string): Promise<{ header: Header; items: Item[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `${file} cannot be read.`, {
      hint: 'Name the general.ndjson that an earlier run wrote into its --out.',
      cause: error,
    });
  }
  try {
    const [head, ...rows] = text.split('\n').filter((line) => line !== '');
    const { schema: _, ...header } = Header.parse(JSON.parse(head ?? ''));
    return { header, items: rows.map((row) => Line.parse(JSON.parse(row)).item) };
  } catch (error) {
    throw new PragauraError('UNREADABLE_DOCUMENT', `${file} is no result of "bench general".`, {
      cause: error,
    });
  }
}
