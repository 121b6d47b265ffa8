/** Documents of an index that were reviewed: a build from files does not undo what a ticket did, unless it is told to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import { isSystemError, reasonOf, replaceFile } from './files.ts';
import { writing } from './folder.ts';
import { REVIEWED } from './layout.ts';

const Entry = z.strictObject({
  /** Of the document's content; null: it was taken out. */
  hash: z.string().nullable(),
  ticket: z.number().int().min(1),
});

const ReviewedFile = z.strictObject({
  schema: z.literal('pragaura.reviewed/1'),
  documents: z.record(z.string(), Entry),
});

/** By document. An entry counts only where the index has the document so: after a rollback it does not. */
export type Reviewed = ReadonlyMap<string, z.infer<typeof Entry>>;

/** Throws INDEX_UNUSABLE for a file that cannot be read. */
export function reviewedIn(dir: string): Reviewed {
  const file = join(dir, REVIEWED);
  try {
    const { documents } = ReviewedFile.parse(JSON.parse(readFileSync(file, 'utf8')));
    return new Map(Object.entries(documents));
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return new Map();
    const why = isSystemError(error) ? reasonOf(error) : 'it is not what was written';
    throw new PragauraError('INDEX_UNUSABLE', `${file} cannot be read: ${why}.`, {
      hint: 'Put back its last sound version; without it, files may undo what was reviewed.',
      cause: error,
    });
  }
}

/** Notes what a ticket makes of documents, before it does. Throws INDEX_UNUSABLE and WRITE_FAILED. */
export function noteReviewed(
  dir: string,
  ticket: number,
  documents: readonly { id: string; hash: string | null }[],
): void {
  const all = new Map(reviewedIn(dir));
  for (const { id, hash } of documents) all.set(id, { hash, ticket });
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  const content = { schema: 'pragaura.reviewed/1', documents: Object.fromEntries(sorted) };
  writing(dir, () => replaceFile(dir, REVIEWED, Buffer.from(`${JSON.stringify(content, null, 1)}\n`)));
}
