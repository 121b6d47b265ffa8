import { setImmediate as nextTurn } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';
import { type CorpusIndex, type FieldName, type Postings, TopK } from '../../corpus/index.ts';
import type { BranchName } from '../../profiles/index.ts';
import { booked, checkSignal, depthOf } from './depth.ts';
import type { Documents } from './documents.ts';
import { quantityAsked, readQuery } from './question.ts';
import type { Branch } from './types.ts';

export type Vectors = Pick<CorpusIndex, 'vectors' | 'dimension' | 'passages'>;

/** Numbers multiplied before the event loop gets its turn: about 5 ms. */
const BLOCK = 4_000_000;

/** Inner product of the query with one row; four sums side by side, in an order that never changes. */
export function similarity({ vectors, dimension }: Vectors, ordinal: number, query: Float32Array): number {
  let at = ordinal * dimension;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < dimension; i += 4, at += 4) {
    a += vectors[at]! * query[i]!;
    b += vectors[at + 1]! * query[i + 1]!;
    c += vectors[at + 2]! * query[i + 2]!;
    d += vectors[at + 3]! * query[i + 3]!;
  }
  for (; i < dimension; i++, at++) a += vectors[at]! * query[i]!;
  return a + b + (c + d);
}

/** Throws INTERNAL when the query's vector is not of the index's embedder. */
export function checkVector({ dimension }: Vectors, query: Float32Array): void {
  if (query.length === dimension) return;
  throw new PragauraError(
    'INTERNAL',
    `The query's vector has ${query.length} numbers, those of the index have ${dimension}.`,
  );
}

/** The cosine of a passage to the query; null while the vectors of the index are still being made. */
export function cosineOf(index: Vectors, ordinal: number, query: Float32Array): number | null {
  return index.vectors.length === 0 ? null : similarity(index, ordinal, query);
}

/** Exact search over all vectors: cosine of unit vectors, in [-1, 1]. Finds nothing while they are still being made. */
export function denseBranch(index: Vectors, documents: Documents): Branch {
  const rows = Math.max(1, Math.floor(BLOCK / Math.max(1, index.dimension)));
  return {
    name: 'dense',
    async retrieve(request) {
      const { vector, signal } = request;
      checkVector(index, vector);
      const size = index.vectors.length === 0 ? 0 : index.passages.length;
      const best = new TopK(Math.min(depthOf(request), size));
      const accept = documents.accept(request.filters);
      for (let start = 0; start < size; start += rows) {
        checkSignal(signal);
        if (start > 0) await nextTurn();
        const end = Math.min(size, start + rows);
        for (let ordinal = start; ordinal < end; ordinal++) {
          if (accept !== undefined && !accept(ordinal)) continue;
          const score = similarity(index, ordinal, vector);
          if (score >= best.bar) best.offer(ordinal, score);
        }
      }
      checkSignal(signal);
      return booked(best.sorted(), request);
    },
  };
}

/** BM25 over title and text, through Orama's search. */
export function lexicalBranch(documents: Documents): Branch {
  return {
    name: 'lexical',
    async retrieve(request) {
      checkSignal(request.signal);
      return booked(documents.search(request.query, request.filters, depthOf(request)), request);
    },
  };
}

/**
 * A branch over the sentences of one kind only: those that define something, hold a quantity, give a step, or a
 * cause. Its score is the BM25 share of the query's content terms within those sentences.
 */
export function specialBranch(
  name: Exclude<BranchName, 'lexical' | 'dense'> & FieldName,
  postings: Postings,
  documents: Documents,
): Branch {
  const field = postings.fields[name];
  return {
    name,
    async retrieve(request) {
      checkSignal(request.signal);
      const terms = readQuery(request.query).filter(({ content }) => content);
      const allowed = documents.accept(request.filters);
      const asked = name === 'quantity' ? quantityAsked(request.query) : 0;
      const accept = (ordinal: number) =>
        (asked === 0 || (postings.kinds[ordinal]! & asked) !== 0) &&
        (allowed === undefined || allowed(ordinal));
      return booked(field.search(field.weigh(terms), depthOf(request), accept), request);
    },
  };
}
