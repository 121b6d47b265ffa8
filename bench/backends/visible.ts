/** What of an index is there to be seen, as one hash, in a folder or in an engine. */
import { createHash } from 'node:crypto';
import { messageOf } from '../../common/index.ts';
import { openBackend, openIndex } from '../../corpus/index.ts';

/** Hash of the documents and passages of a folder. */
export async function stateOf(dir: string): Promise<string> {
  const { documents, passages } = await openIndex(dir);
  return hashOf(documents, passages);
}

/** The same of what one who opens the index by its name sees; why he does not, where he does not. */
export async function visible(name: string, backend: string): Promise<string> {
  try {
    const index = await openBackend(name, { backend });
    try {
      const { passages } = index.manifest.counts;
      const found = await index.passages(Array.from({ length: passages }, (_, ordinal) => ordinal));
      return hashOf(
        index.documents,
        found.map(({ passage }) => passage),
      );
    } finally {
      await index.close();
    }
  } catch (error) {
    return messageOf(error);
  }
}

function hashOf(documents: unknown, passages: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([documents, passages]))
    .digest('hex');
}
