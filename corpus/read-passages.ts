import { DEFAULT_MAX_TOKENS } from './build-options.ts';
import { collect } from './collect.ts';
import type { Passage } from './passages/passage.ts';
import type { Failure } from './types.ts';

/** A document that was read and is in no index. */
export interface ReadDocument {
  docId: string;
  passages: readonly Passage[];
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
    kept: () => undefined,
  });
  return {
    documents: [...documents].map(([docId, { passages }]) => ({ docId, passages })),
    failures,
  };
}
