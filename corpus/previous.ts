import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PragauraError } from '../common/index.ts';
import {
  DECLARED_SEGMENT,
  type DeclaredIdentifiers,
  declarationIn,
  NOTHING_DECLARED,
} from './identifiers/index.ts';
import type { Collected } from './outcomes.ts';
import { CURRENT } from './store/layout.ts';
import { openStored, type StoredIndex } from './store/open-index.ts';

/** The index that a build starts from, or why it cannot. Both null where there is none. */
export function openPrevious(dir: string): { previous: StoredIndex | null; problem: string | null } {
  if (!existsSync(join(dir, CURRENT))) return { previous: null, problem: null };
  try {
    return { previous: openStored(dir), problem: null };
  } catch (error) {
    if (!PragauraError.isInstance(error)) throw error;
    return { previous: null, problem: error.message };
  }
}

/** The documents of an index, each with its passages. */
export function documentsOf(index: StoredIndex): Map<string, Collected> {
  return new Map(
    index.documents.map(({ first, ...entry }, place) => [
      entry.docId,
      {
        entry,
        passages: index.passages.slice(first, first + entry.passages),
        get parts() {
          return index.partsOfDocument(place);
        },
      },
    ]),
  );
}

/** What was declared when an index was built; older ones have no such block. */
export function declaredIn(index: StoredIndex): DeclaredIdentifiers {
  return Object.hasOwn(index.manifest.segments, DECLARED_SEGMENT) ? declarationIn(index) : NOTHING_DECLARED;
}

/** Vectors of an index by the hash of the text; none of one whose vectors are still being made. */
export function vectorsOf(index: StoredIndex): Map<string, Float32Array> {
  const { keys, vectors, dimension } = index;
  if (vectors.length === 0) return new Map();
  const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  return new Map(
    index.passages.map((_, row) => [
      bytes.toString('hex', row * 32, row * 32 + 32),
      vectors.subarray(row * dimension, (row + 1) * dimension),
    ]),
  );
}
