/** What is put on the queue when documents are indexed by workers. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalHash, packageVersion } from '../../common/index.ts';
import { engineAt, type Making, Piece, SPLITTER_VERSION } from '../../corpus/index.ts';

/** Name of such jobs. */
export const INDEX = 'index';

/** Pieces of documents to read, cut, embed and stage. Where the engine is and who may write to it the worker knows by itself. */
export const IndexJob = z.strictObject({
  schema: z.literal('pragaura.index-job/1'),
  /** The index's name in the engine. */
  index: z.string().min(1),
  maxTokens: z.number().int().min(1),
  pieces: z.array(z.strictObject({ key: z.string().regex(/^[0-9a-f]{64}$/), piece: Piece })).min(1),
});
export type IndexJob = z.infer<typeof IndexJob>;
export type KeyedPiece = IndexJob['pieces'][number];

/** The queue beside one of queries that holds jobs of indexing: `pragaura queue --queue NAME.indexing` shows it. */
export function indexingQueue(queue: string): string {
  return `${queue}.indexing`;
}

/** What workers and whoever has documents indexed must have alike, and its hash, which is in the lane's name. */
export function configurationFor(backend: string, embedder: Making['embedder']) {
  const made = { version: packageVersion(), engine: engineAt(backend), embedder, splitter: SPLITTER_VERSION };
  return { made, configuration: canonicalHash(made) };
}

/** The id of a job: the same for the same pieces of the same index. It begins with a letter and has no colon, as BullMQ wants it. */
export function idOf({ index, pieces }: Pick<IndexJob, 'index' | 'pieces'>): string {
  const hash = createHash('sha256').update(JSON.stringify([index, ...pieces.map(({ key }) => key)]));
  return `i${hash.digest().subarray(0, 18).toString('base64url')}`;
}
