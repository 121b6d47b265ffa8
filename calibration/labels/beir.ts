import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isSystemError, messageOf, PragauraError } from '../../common/index.ts';
import type { Example } from '../types.ts';
import { ExampleList, type Look } from './examples.ts';
import { badRecord, kindOf, linesOf, unreadable } from './files.ts';

const HINT =
  'A BEIR folder holds queries.jsonl ({"_id", "text"}) and qrels/NAME.tsv (query-id, corpus-id, score).';
const Identifier = z.union([z.string().min(1).max(512), z.number()]).transform(String);
const QueryRow = z.object({ _id: Identifier.optional(), id: Identifier.optional(), text: z.string() });

/**
 * Queries of a BEIR folder that its judgments name. Scores above 0 are grades; a query all of whose judgments are 0
 * has no label. `path`: the folder, where `qrels/` holds one file, or the qrels file that is meant.
 * Throws USAGE when there are several and none is named; INVALID_INPUT (file and line); NOT_FOUND.
 */
export async function beirExamples(path: string, look?: Look): Promise<Example[]> {
  const qrels = kindOf(path) === 'file' ? path : onlyQrels(path);
  const judged = await judgments(qrels);
  const file = queriesFile(dirname(dirname(qrels)));
  const list = new ExampleList((line) => `${file}, line ${line}`, look);
  for await (const { text, number } of linesOf(file)) {
    const { id, query } = queryOf(text, file, number);
    const relevant = judged.get(id);
    if (relevant === undefined) continue;
    const passages = [...relevant.keys()];
    const grades = [...relevant.values()];
    list.add(
      {
        id,
        query,
        ...(passages.length === 0 ? {} : { passages }),
        ...(grades.every((grade) => grade === 1) ? {} : { grades }),
      },
      number,
    );
    judged.delete(id);
  }
  const [missing] = judged.keys();
  if (missing !== undefined) {
    throw unreadable(qrels, `judges the query ${JSON.stringify(missing)}, which ${file} does not hold`, HINT);
  }
  return list.examples;
}

function onlyQrels(folder: string): string {
  const dir = join(folder, 'qrels');
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => /\.tsv(\.gz)?$/.test(name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw unreadable(folder, 'is no BEIR folder: it holds no folder "qrels"', HINT, error);
  }
  if (names.length === 1) return join(dir, names[0]!);
  if (names.length === 0) throw unreadable(dir, 'holds no .tsv file', HINT);
  throw new PragauraError('USAGE', `${dir} holds several files of judgments: ${names.sort().join(', ')}.`, {
    hint: `Name the one that is meant, for example ${join(dir, names[0]!)}.`,
  });
}

function queriesFile(folder: string): string {
  const names = readdirSync(folder);
  const name = ['queries.jsonl', 'queries.jsonl.gz'].find((known) => names.includes(known));
  if (name !== undefined) return join(folder, name);
  throw unreadable(folder, 'is no BEIR folder: it holds no queries.jsonl', HINT);
}

function queryOf(text: string, file: string, line: number): { id: string; query: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRecord(file, line, `is not JSON: ${messageOf(error)}`, HINT, error);
  }
  const row = QueryRow.safeParse(value);
  const id = row.data?._id ?? row.data?.id;
  if (!row.success || id === undefined) throw badRecord(file, line, 'does not fit {"_id", "text"}', HINT);
  return { id, query: row.data.text.trim() };
}

/** Query id -> document id -> grade above 0. */
async function judgments(file: string): Promise<Map<string, Map<string, number>>> {
  const judged = new Map<string, Map<string, number>>();
  for await (const { text, number } of linesOf(file)) {
    const [query, document, score, ...more] = text.split('\t').map((field) => field.trim());
    if (number === 1 && query === 'query-id') continue;
    const grade = Number(score);
    if (!query || !document || !score || more.length > 0 || !Number.isFinite(grade)) {
      throw badRecord(file, number, 'is not query-id, corpus-id and score, separated by tabs', HINT);
    }
    const relevant = judged.get(query) ?? new Map<string, number>();
    judged.set(query, relevant);
    if (relevant.has(document)) {
      throw badRecord(
        file,
        number,
        `judges ${JSON.stringify(document)} a second time for ${JSON.stringify(query)}`,
      );
    }
    if (grade > 0) relevant.set(document, grade);
  }
  if (judged.size === 0) throw unreadable(file, 'holds no judgment', HINT);
  return judged;
}
