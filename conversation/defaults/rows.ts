/** Votes as rows of the store, and back. */
import { z } from 'zod';
import { storeUnusable } from '../../common/index.ts';
import { DEFAULTS_STORE } from './schema.ts';
import { OpenQuestion, SIGNALS, type Signal, type Vote } from './types.ts';

/** Conditions as pairs sorted by name, the form in which they are kept and compared. */
export function sortedPairs(conditions: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(conditions).sort(([a], [b]) => (a < b ? -1 : 1));
}

const Pairs = z.array(z.tuple([z.string(), z.string()]));

interface Row {
  id: number;
  at: number;
  signal: Signal;
  value: string;
  doc: string | null;
  conditions: string;
}

/**
 * The votes of rows of the table. Throws DEFAULTS_UNUSABLE for a row that this program cannot have written. The
 * columns have the types of the table, which SQLite enforces.
 */
export function votesOf(rows: readonly unknown[], file: string): Vote[] {
  // Few different conditions stand in many rows.
  const known = new Map<string, Vote['conditions']>();
  return (rows as Row[]).map(({ id, at, signal, value, doc, conditions }) => {
    try {
      let pairs = known.get(conditions);
      if (pairs === undefined) {
        pairs = Pairs.parse(JSON.parse(conditions));
        known.set(conditions, pairs);
      }
      if (!SIGNALS.includes(signal)) throw new TypeError(`"${signal}" is no signal`);
      return { id, at, signal, value, docId: doc, conditions: pairs };
    } catch (error) {
      throw storeUnusable(DEFAULTS_STORE, file, `vote ${id} is damaged`, error);
    }
  });
}

/** The questions of rows of the table. Throws DEFAULTS_UNUSABLE for a row that this program cannot have written. */
export function questionsOf(rows: readonly unknown[], file: string): OpenQuestion[] {
  return (rows as { record: string }[]).map(({ record }) => {
    try {
      return OpenQuestion.parse(JSON.parse(record));
    } catch (error) {
      throw storeUnusable(DEFAULTS_STORE, file, 'a question in it is damaged', error);
    }
  });
}
