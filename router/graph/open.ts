import type { CorpusIndex } from '../../corpus/index.ts';
import { readGraph } from './file.ts';
import { KnowledgeGraph } from './knowledge-graph.ts';

/**
 * The graph of an index for queries; null where none was built. One from before the index was brought up to date is
 * left out and announced: documents change every day, and a signal less is no reason to stop serving. Throws
 * INDEX_UNUSABLE for a damaged one, which no ordinary work leaves behind.
 */
export async function openGraph(
  { dir, manifest, passages }: Pick<CorpusIndex, 'dir' | 'manifest' | 'passages'>,
  announce: (message: string) => void = () => {},
): Promise<KnowledgeGraph | null> {
  const read = await readGraph(dir, manifest.hash, passages.length);
  if (read.state === 'read') return new KnowledgeGraph(read.data, read.hash);
  if (read.state === 'stale') {
    announce(
      'The graph beside the index is left out: it was made before the index was brought up to date. ' +
        `Build it again with: pragaura graph --index ${dir}`,
    );
  }
  return null;
}
