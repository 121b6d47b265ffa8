/** An index as somebody may see it who may not read all of its documents. */
import { PragauraError } from '../common/index.ts';
import { buildIdentifiers, type DeclaredIdentifiers } from './identifiers/index.ts';
import type { Passage } from './passages/passage.ts';
import { buildPostings } from './postings/index.ts';
import { declaredIn } from './previous.ts';
import { openIndex, type StoredIndex } from './store/open-index.ts';
import { manifestOf, type Vectors } from './store/write-generation.ts';
import { buildStructure, loadStructure } from './structure/index.ts';
import type { CorpusIndex, DocumentEntry, Manifest, Part, Segments } from './types.ts';

export type Readable = (document: DocumentEntry) => boolean;

/**
 * Opens an index as if it had never held a document that `readable` says no to: what is made of documents (postings,
 * identifiers, structure, counts, the index's hash) is made anew of those that are left, and their vectors are kept. The same
 * bytes as building an index of these alone, and the same hash. Throws as `openIndex`.
 */
export async function openView(dir: string, readable: Readable, asOf?: string): Promise<CorpusIndex> {
  return viewOf(await openIndex(dir, asOf), readable);
}

/** The same of an index that is open. */
function viewOf(index: StoredIndex, readable: Readable): CorpusIndex {
  const places = index.documents.flatMap((document, place) => (readable(document) ? [place] : []));
  if (places.length === index.documents.length) return index;
  const { dir, dimension } = index;
  const pending = index.manifest.pending !== undefined;
  const documents: DocumentEntry[] = [];
  const passages: Passage[] = [];
  const parts: (readonly Part[])[] = [];
  /** Ordinals in the whole index, in the order of the view. */
  const rows: number[] = [];
  for (const place of places) {
    const document = index.documents[place]!;
    documents.push({ ...document, first: passages.length });
    parts.push(index.partsOfDocument(place));
    for (let row = document.first; row < document.first + document.passages; row += 1) {
      rows.push(row);
      passages.push(index.passages[row]!);
    }
  }
  const { embedder, settings } = index.manifest;
  return indexOf({
    ...{ dir, embedder, settings, passages, documents, parts, declared: declaredIn(index) },
    // How many are still missing of what may be read is not known; that some are is.
    vectors: pending
      ? Math.max(1, passages.length)
      : {
          vectors: rowsOf(index.vectors, rows, dimension, Float32Array),
          keys: rowsOf(index.keys, rows, KEY_BYTES, Uint8Array),
        },
  });
}

/** What an index is made of, once documents were read and their passages embedded. */
interface Content extends Pick<Manifest, 'embedder' | 'settings'> {
  dir: string;
  passages: readonly Passage[];
  documents: readonly DocumentEntry[];
  /** Of each document. */
  parts: readonly (readonly Part[])[];
  declared: DeclaredIdentifiers;
  vectors: Vectors | number;
}

/** An index in memory with all that is made of documents: what indexing these alone would have written. */
export function indexOf({ dir, parts, declared, ...content }: Content): CorpusIndex {
  const { passages, documents, embedder } = content;
  const segments: Segments = {
    ...buildPostings(passages),
    ...buildIdentifiers(passages, declared),
    ...buildStructure({ passages, documents }, parts),
  };
  const segment = (name: string): Uint8Array => {
    const bytes = segments[name];
    if (bytes === undefined) throw new PragauraError('INTERNAL', `A view has no part ${name}.`);
    return bytes;
  };
  const manifest = manifestOf({ ...content, failures: [], segments: [segments] });
  const structure = loadStructure({ segment }, { passages, documents });
  const vectors = typeof content.vectors === 'number' ? new Float32Array() : content.vectors.vectors;
  return {
    dir,
    folder: null,
    manifest,
    passages,
    documents,
    vectors,
    dimension: embedder.dimension,
    segment,
    ...structure,
  };
}

/** SHA-256 of an embedded text. */
const KEY_BYTES = 32;

function rowsOf<T extends Float32Array | Uint8Array>(
  all: T,
  rows: readonly number[],
  width: number,
  Kind: new (length: number) => T,
): T {
  const kept = new Kind(rows.length * width);
  rows.forEach((row, i) => {
    kept.set(all.subarray(row * width, (row + 1) * width), i * width);
  });
  return kept;
}
