import type { SegmentSource } from '../types.ts';
import { damaged, numbers } from './numbers.ts';
import { TopK } from './top-k.ts';

/** BM25 (Robertson and Walker 1994) as in Lucene: idf = ln(1 + (N - df + 0.5) / (df + 0.5)). */
export interface Bm25 {
  k1: number;
  b: number;
}

/** Most terms of one query that are scored. */
const MAX_SCORED_TERMS = 256;

/** A distinct term of a query; `weight` in [0, 1]: how much it counts beside the others. */
export interface QueryTerm {
  term: string;
  weight: number;
}

/** A term with its place in one field. */
export interface WeightedTerm {
  term: string;
  /** Place in the dictionary, -1 when the field does not hold the term. */
  place: number;
  /** idf times the weight of the query's term. */
  weight: number;
}

const encoder = new TextEncoder();

/** The postings of one field, read in place from the segments that a FieldWriter left. */
export class Field {
  readonly size: number;
  readonly #terms: Uint8Array;
  readonly #termEnds: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #docs: Uint32Array;
  readonly #tfs: Uint16Array;
  /** k1 * (1 - b + b * length / average length) of each passage. */
  readonly #norms: Float32Array;
  readonly #scores: Float64Array;

  /** Throws INDEX_UNUSABLE when the segments do not fit together or not `size` passages. */
  constructor(source: SegmentSource, name: string, size: number, { k1, b }: Bm25) {
    const part = (suffix: string) => `postings.${name}.${suffix}`;
    this.size = size;
    this.#terms = source.segment(part('terms'));
    this.#termEnds = numbers(source, part('term-ends'), Uint32Array);
    this.#ends = numbers(source, part('ends'), Uint32Array);
    this.#docs = numbers(source, part('docs'), Uint32Array);
    this.#tfs = numbers(source, part('tfs'), Uint16Array);
    const lengths = numbers(source, part('lengths'), Uint32Array, size);
    const last = this.#ends.length - 1;
    const fits =
      this.#ends.length === this.#termEnds.length &&
      this.#docs.length === this.#tfs.length &&
      (last < 0 ? 0 : this.#ends[last]!) === this.#docs.length &&
      (last < 0 ? 0 : this.#termEnds[last]!) === this.#terms.length;
    if (!fits) throw damaged(`the postings of "${name}" do not fit its passages`);
    let total = 0;
    for (const length of lengths) total += length;
    const average = total / size;
    this.#norms = new Float32Array(size);
    for (let i = 0; i < size; i++) {
      this.#norms[i] = k1 * (1 - b + (average === 0 ? 0 : (b * lengths[i]!) / average));
    }
    this.#scores = new Float64Array(size);
  }

  /** The terms with their weights; of more than {@link MAX_SCORED_TERMS} the heaviest. Terms must be distinct. */
  weigh(terms: readonly QueryTerm[]): WeightedTerm[] {
    const weighted = terms.map(({ term, weight }) => {
      const place = this.#find(term);
      const df = place < 0 ? 0 : this.#ends[place]! - this.#start(place);
      return { term, place, weight: weight * Math.log(1 + (this.size - df + 0.5) / (df + 0.5)) };
    });
    if (weighted.length <= MAX_SCORED_TERMS) return weighted;
    return weighted.sort((a, b) => b.weight - a.weight).slice(0, MAX_SCORED_TERMS);
  }

  /**
   * The `k` best passages, best first, ties by ordinal, score > 0: BM25 over the attainable maximum
   * `sum(weight * idf * (k1 + 1))` of all query terms, those included that the field does not hold, so that a score
   * is the share of the query's weight that the passage explains, in [0, 1). `accept` filters ordinals.
   */
  search(
    query: readonly WeightedTerm[],
    k: number,
    accept?: (ordinal: number) => boolean,
  ): { ordinal: number; score: number }[] {
    const best = new TopK(Math.min(k, this.size));
    const scores = this.#score(query);
    for (let ordinal = 0; ordinal < scores.length; ordinal++) {
      const score = scores[ordinal]!;
      if (score > 0 && score >= best.bar && (accept === undefined || accept(ordinal)))
        best.offer(ordinal, score);
    }
    return best.sorted();
  }

  /** The same score of the passages given. */
  scoresOf(query: readonly WeightedTerm[], ordinals: readonly number[]): number[] {
    const scores = this.#score(query);
    return ordinals.map((ordinal) => scores[ordinal]!);
  }

  /** The score of every passage by ordinal, in a buffer that the next call overwrites. */
  #score(query: readonly WeightedTerm[]): Float64Array {
    const scores = this.#scores.fill(0);
    let attainable = 0;
    for (const { weight } of query) attainable += weight;
    for (const { place, weight } of query) {
      if (place >= 0) this.#accumulate(place, weight / attainable);
    }
    return scores;
  }

  #accumulate(place: number, weight: number): void {
    const docs = this.#docs;
    const tfs = this.#tfs;
    const norms = this.#norms;
    const scores = this.#scores;
    const end = this.#ends[place]!;
    for (let i = this.#start(place); i < end; i++) {
      const doc = docs[i]!;
      const tf = tfs[i]!;
      scores[doc]! += (weight * tf) / (tf + norms[doc]!);
    }
  }

  #start(place: number): number {
    return place === 0 ? 0 : this.#ends[place - 1]!;
  }

  /** Binary search over the sorted bytes; -1 when absent. */
  #find(term: string): number {
    const wanted = encoder.encode(term);
    let low = 0;
    let high = this.#termEnds.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const from = middle === 0 ? 0 : this.#termEnds[middle - 1]!;
      const order = Buffer.compare(this.#terms.subarray(from, this.#termEnds[middle]!), wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
