/** Votes as rows of the store, and back. */
import { z } from 'zod';
import { unusable } from './sqlite.ts';
import { SIGNALS, type Vote } from './types.ts';

/** Conditions as pairs sorted by name, the form in which they are kept and compared. */
export function sortedPairs(conditions: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(conditions).sort(([a], [b]) => (a < b ? -1 : 1));
}

const Pairs = z.array(z.tuple([z.string(), z.string()]));

const Row = z.object({
  id: z.number(),
  at: z.number(),
  signal: z.enum(SIGNALS),
  value: z.string().min(1),
  doc: z.string().nullable(),
  conditions: z.string().transform((text) => Pairs.parse(JSON.parse(text))),
});

/** The votes of rows of the table. Throws DEFAULTS_UNUSABLE for a row that this program cannot have written. */
export function votesOf(rows: readonly unknown[], file: string): Vote[] {
  return rows.map((row) => {
    try {
      const { doc, ...vote } = Row.parse(row);
      return { ...vote, docId: doc };
    } catch (error) {
      throw unusable(file, `vote ${String((row as { id?: unknown }).id)} is damaged`, error);
    }
  });
}
