import { join } from 'node:path';
import { z } from 'zod';
import { GRAPH_FILE } from '../../corpus/index.ts';
import { readHashed, unusable, writeHashed } from './hashed-file.ts';
import type { GraphData } from './types.ts';

const SCHEMA = 'pragaura.graph/1';
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
 * Stores a graph in the folder of its index's generation: what it is of, and what is in it. The file is the old one or the
 * new one, whatever happens. Throws WRITE_FAILED.
 */
export function writeGraph(folder: string, indexHash: string, data: GraphData): Promise<void> {
  return writeHashed(join(folder, GRAPH_FILE), { schema: SCHEMA, index: indexHash }, data);
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
  const read = await readHashed(file, { header: Header, content: Content });
  if (read === null) return null;
  const { header, content } = read;
  if (header.index !== indexHash) throw unusable(`${file} is of another index.`);
  const { nodes, edges } = content;
  const whole = edges.every(
    (edge) =>
      edge.subject < nodes.length && edge.object < nodes.length && edge.passages.every((p) => p < passages),
  );
  if (!whole) throw unusable(`${file} is damaged: it points to what is not there.`);
  return { data: content, hash: header.sha256 };
}
