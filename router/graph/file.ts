import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError, messageOf, PragauraError, writeWholeFile } from '../../common/index.ts';
import { GRAPH_FILE } from '../../corpus/index.ts';
import type { GraphData } from './types.ts';

const SCHEMA = 'pragaura.graph/1';
const HINT =
  'Build it again with "pragaura graph --index DIR", or remove it and graph-source.ndjson beside it to do without.';

const unit = z.number().min(0).max(1);
const place = z.number().int().min(0);

const Header = z.strictObject({
  schema: z.literal(SCHEMA),
  /** Hash of the index that it was made from. */
  index: z.string(),
  /** Of the second line, sha256 in hex. */
  sha256: z.string(),
});

const Content = z.strictObject({
  nodes: z.array(z.string()),
  edges: z.array(
    z.strictObject({
      subject: place,
      relation: z.string(),
      object: place,
      count: z.number().int().min(1),
      passages: z.array(place),
      sem: unit,
      act: unit,
      asked: z.array(z.string()).min(1).optional(),
    }),
  ),
});

/**
 * Stores a graph in the folder of its index's generation, in two lines of JSON: what it is of, and what is in it. The file is the old
 * one or the new one, whatever happens. Throws WRITE_FAILED.
 */
export async function writeGraph(folder: string, indexHash: string, data: GraphData): Promise<void> {
  const content = JSON.stringify(data);
  const header = { schema: SCHEMA, index: indexHash, sha256: sha256(content) };
  await writeWholeFile(
    join(folder, GRAPH_FILE),
    `${JSON.stringify(header)}\n${content}\n`,
    'Make room, or give yourself the right to write to the index folder.',
  );
}

/** A graph as it was read; `hash`: sha256 of its content. */
export interface GraphFile {
  data: GraphData;
  hash: string;
}

/**
 * The graph in a generation's folder, null where there is none. Throws INDEX_UNUSABLE when the file is damaged, is of another
 * index or was written by another version: then nothing is taken from it.
 */
export async function readGraph(
  folder: string,
  indexHash: string,
  passages: number,
): Promise<GraphFile | null> {
  const file = join(folder, GRAPH_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw unusable(`${file} cannot be read: ${messageOf(error)}`, error);
  }
  const end = text.indexOf('\n');
  const header = Header.safeParse(parsed(text.slice(0, end), file));
  if (!header.success) throw unusable(`${file} is no graph of this version.`, header.error);
  const content = text.slice(end + 1).replace(/\n$/, '');
  if (sha256(content) !== header.data.sha256) throw unusable(`${file} is damaged: its content was changed.`);
  if (header.data.index !== indexHash) throw unusable(`${file} is of another index.`);
  const data = Content.safeParse(parsed(content, file));
  if (!data.success) throw unusable(`${file} is damaged: ${z.prettifyError(data.error)}`, data.error);
  const { nodes, edges } = data.data;
  const whole = edges.every(
    (edge) =>
      edge.subject < nodes.length && edge.object < nodes.length && edge.passages.every((p) => p < passages),
  );
  if (!whole) throw unusable(`${file} is damaged: it points to what is not there.`);
  return { data: data.data, hash: header.data.sha256 };
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(`${file} is damaged: ${messageOf(error)}`, error);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function unusable(message: string, cause?: unknown): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', message, { hint: HINT, cause });
}
