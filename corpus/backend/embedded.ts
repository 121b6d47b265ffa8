/** The reference: an index that was read into this process. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type IdentifierTable, loadIdentifiers } from '../identifiers/index.ts';
import { loadPostings, type QueryTerm, TopK } from '../postings/index.ts';
import { pointerOf } from '../store/open-index.ts';
import type { CorpusIndex } from '../types.ts';
import type { Hit, IndexBackend, IndexedPassage, Search, Seen } from './backend.ts';
import { checkSignal } from './cancelled.ts';
import { openDocuments } from './documents.ts';
import type { Filters } from './filters.ts';
import { checkVector, similarity } from './similarity.ts';

/** Numbers multiplied before the event loop gets its turn: about 5 ms. */
const BLOCK = 4_000_000;

/** A passage whose parts and vector are looked up where they lie, when they are asked for. */
class Stored implements IndexedPassage {
  readonly ordinal: number;
  readonly #index: CorpusIndex;

  constructor(index: CorpusIndex, ordinal: number) {
    this.#index = index;
    this.ordinal = ordinal;
  }

  get passage() {
    return this.#index.passages[this.ordinal]!;
  }

  get parts() {
    return this.#index.partsOf(this.ordinal);
  }

  get vector() {
    const { vectors, dimension } = this.#index;
    if (vectors.length === 0) return null;
    return vectors.subarray(this.ordinal * dimension, (this.ordinal + 1) * dimension);
  }
}

class StoredSeen extends Stored implements Seen {
  readonly lexical: number;
  readonly dense: number | null;

  constructor(index: CorpusIndex, ordinal: number, lexical: number, dense: number | null) {
    super(index, ordinal);
    this.lexical = lexical;
    this.dense = dense;
  }
}

/**
 * Opens an index that was read. `pointer`: what its folder pointed to then; without it this generation is what is meant, whatever
 * the folder comes to. Throws INDEX_UNUSABLE when its postings are missing or do not fit.
 */
export function embeddedBackend(index: CorpusIndex, pointer: string | null = null): IndexBackend {
  const { passages, vectors, dimension } = index;
  const { fields, kinds } = loadPostings(index, passages);
  const documents = openDocuments(index);
  let identifiers: IdentifierTable | undefined;

  async function nearest(query: Float32Array, k: number, filters: Filters | undefined, signal?: AbortSignal) {
    checkVector(dimension, query);
    const rows = Math.max(1, Math.floor(BLOCK / Math.max(1, dimension)));
    const size = vectors.length === 0 ? 0 : passages.length;
    const best = new TopK(Math.min(k, size));
    const accept = documents.accept(filters);
    for (let start = 0; start < size; start += rows) {
      checkSignal(signal);
      if (start > 0) await nextTurn();
      const end = Math.min(size, start + rows);
      for (let ordinal = start; ordinal < end; ordinal++) {
        if (accept !== undefined && !accept(ordinal)) continue;
        const score = similarity(vectors, query, ordinal * dimension);
        if (score >= best.bar) best.offer(ordinal, score);
      }
    }
    checkSignal(signal);
    return best.sorted();
  }

  async function found(search: Search, signal?: AbortSignal): Promise<Hit[]> {
    checkSignal(signal);
    const { k, filters } = search;
    if ('vector' in search) return nearest(search.vector, k, filters, signal);
    const { field: name, terms, kinds: asked = 0 } = search;
    const field = fields[name];
    const weighed = field.weigh(terms);
    if (name === 'text') {
      return documents.search((limit, accept) => field.search(weighed, limit, accept), filters, k);
    }
    const allowed = documents.accept(filters);
    const accept = (ordinal: number) =>
      (asked === 0 || (kinds[ordinal]! & asked) !== 0) && (allowed === undefined || allowed(ordinal));
    return field.search(weighed, k, accept);
  }

  function seen(ordinals: readonly number[], terms: readonly QueryTerm[], vector: Float32Array): Seen[] {
    const lexical = fields.text.scoresOf(fields.text.weigh(terms), ordinals);
    return ordinals.map((ordinal, i) => {
      const dense = vectors.length === 0 ? null : similarity(vectors, vector, ordinal * dimension);
      return new StoredSeen(index, ordinal, lexical[i]!, dense);
    });
  }

  const stored = (ordinals: readonly number[]) => ordinals.map((ordinal) => new Stored(index, ordinal));
  return {
    name: index.dir,
    folder: index.folder,
    manifest: index.manifest,
    documents: index.documents,
    get identifiers() {
      identifiers ??= loadIdentifiers(index);
      return identifiers;
    },
    lexicons: fields,
    search: (searches, { signal } = {}) => Promise.all(searches.map((search) => found(search, signal))),
    async look(ordinals, { terms, vector, filters }, { signal } = {}) {
      checkSignal(signal);
      checkVector(dimension, vector);
      const accept = documents.accept(filters);
      return seen(accept === undefined ? ordinals : ordinals.filter(accept), terms, vector);
    },
    async passages(ordinals, { signal } = {}) {
      checkSignal(signal);
      return stored(ordinals.filter((ordinal) => ordinal in passages));
    },
    async holding(terms, most, { signal } = {}) {
      checkSignal(signal);
      return terms.map((term) => stored(fields.text.firstHolding(term, most)));
    },
    async entriesOf(terms, { signal } = {}) {
      checkSignal(signal);
      return terms.map((term) => stored(index.entriesOf(term)));
    },
    async health() {
      const current = pointer === null ? null : pointerOf(index.dir);
      const { manifest } = index;
      const sizes = Object.values(manifest.segments).map(({ bytes }) => bytes);
      return {
        state: 'ok',
        generation: current === pointer ? 'current' : 'superseded',
        current,
        detail: 'in this process',
        bytes: sizes.reduce((sum, size) => sum + size, 0),
      };
    },
    close: async () => {},
  };
}
