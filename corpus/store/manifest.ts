import { z } from 'zod';
import { GENRES } from '../../profiles/index.ts';
import type { Manifest } from '../types.ts';
import { sha256 } from './files.ts';
import { SCHEMA } from './layout.ts';

const count = z.number().int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const ManifestSchema: z.ZodType<Manifest> = z.strictObject({
  schema: z.literal(SCHEMA),
  hash,
  createdBy: z.string(),
  counts: z.strictObject({
    documents: count,
    passages: count,
    failed: count,
    genres: z.record(z.enum(GENRES), count),
  }),
  embedder: z.strictObject({ name: z.string(), sha256: z.string(), dimension: z.number().int().positive() }),
  settings: z.strictObject({ maxTokens: count, splitter: count, analysis: count }),
  segments: z.record(
    z.string(),
    // A name, never a path out of the folder.
    z.strictObject({ file: z.string().regex(/^[A-Za-z0-9][\w.-]*$/), bytes: count, sha256: hash }),
  ),
  pending: count.min(1).exactOptional(),
});

/**
 * The parts that every index has, beside the segments of postings and identifiers; `vectors` and `keys` once they are made,
 * `hidden` where a document holds text that its reader does not see.
 */
export const PARTS = {
  passages: 'passages.ndjson',
  documents: 'documents.ndjson',
  vectors: 'vectors',
  keys: 'vectors.keys',
  hidden: 'hidden',
} as const;

/**
 * What two indexes that give the same decisions have in common: embedder, settings and every part that is read at
 * query time. The list of documents is not (it also names what failed). Without its vectors an index is another one,
 * however many are missing.
 */
export function indexHash(manifest: Omit<Manifest, 'hash'>): string {
  const parts = Object.entries(manifest.segments)
    .filter(([name]) => name !== PARTS.documents)
    .map(([name, segment]) => [name, segment.sha256])
    .sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
  const pending = manifest.pending === undefined ? [] : ['vectors pending'];
  return sha256(JSON.stringify([SCHEMA, manifest.embedder, manifest.settings, parts, ...pending]));
}
