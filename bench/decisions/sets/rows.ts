import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Query } from '../../../router/index.ts';
import { parseJson, parseJsonLines, readDataFile, unreadable } from '../../datasets/files.ts';
import type { DataDocument } from '../../datasets/types.ts';

export type Turns = NonNullable<Query['history']>;

/** What a JSON file of the data folder holds. Throws NOT_FOUND, or UNREADABLE_DOCUMENT for what is not of that shape. */
export async function readJson<T>(dir: string, file: string, schema: z.ZodType<T>): Promise<T> {
  return checked(parseJson(await readDataFile(dir, file), file), file, schema);
}

/** The same for a file with a JSON value on each line. */
export async function readLines<T>(dir: string, file: string, schema: z.ZodType<T>): Promise<T[]> {
  return checked(parseJsonLines(await readDataFile(dir, file), file), file, z.array(schema));
}

export function checked<T>(value: unknown, file: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw unreadable(file, z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}

/** A short name for a text, the same wherever the text turns up. */
export function nameOf(text: string): string {
  return createHash('sha256').update(text.trim()).digest('hex').slice(0, 16);
}

/** Documents without double ones, by their id; ids name their texts. */
export class Documents {
  readonly #byId = new Map<string, DataDocument>();

  /** The id under which the text stands. */
  add(prefix: string, text: string, source: string, title = ''): string {
    const docId = `${prefix}-${nameOf(`${title}\n${text}`)}`;
    if (!this.#byId.has(docId)) this.#byId.set(docId, { docId, title, text, source });
    return docId;
  }

  get all(): DataDocument[] {
    return [...this.#byId.values()];
  }
}

/** Question and answer by turns: who asks is `asker`. */
export function exchanges(
  asker: 'user' | 'assistant',
  pairs: readonly { question: string; answer: string }[],
): Turns {
  const other = asker === 'user' ? 'assistant' : 'user';
  return pairs.flatMap(({ question, answer }) => [
    { role: asker, text: question },
    { role: other, text: answer },
  ]);
}
