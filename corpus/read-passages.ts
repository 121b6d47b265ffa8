import { DEFAULT_MAX_TOKENS } from './build-options.ts';
import { collect } from './collect.ts';
import type { Passage } from './passages/passage.ts';
import type { Failure, HiddenTexts } from './types.ts';

/** A document that was read and is in no index. */
export interface ReadDocument {
  docId: string;
  /** As in the index that would be made of it. */
  hash: string;
  passages: readonly Passage[];
  hidden: HiddenTexts | undefined;
}

/**
 * Reads files and folders as a build does, and indexes nothing. `countTokens`: word pieces of a text; where passages end
 * depends on it, their sentences do not. Throws NOT_FOUND for a path that does not exist.
 */
export async function readPassages(
  paths: readonly string[],
  countTokens: (text: string) => number,
): Promise<{ documents: ReadDocument[]; failures: Failure[] }> {
  const { documents, failures } = await collect(paths, {
    maxTokens: DEFAULT_MAX_TOKENS,
    countTokens,
    exclude: '',
    known: () => undefined,
    kept: () => undefined,
  });
  return {
    documents: [...documents.values()].map(({ entry: { docId, hash, hidden }, passages }) => ({
      docId,
      hash,
      passages,
      hidden,
    })),
    failures,
  };
}
