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

/** Passages that are named beside a term. */
const FIRST_PASSAGES = 4;

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

  /**
   * Terms that begin with an ASCII letter and have `least` to `most` letters, in the order of their bytes; `count`: the
   * passages that hold it, `first`: ordinals of the first four.
   */
  *termsLike(
    letter: string,
    least: number,
    most: number,
  ): Generator<{ term: string; count: number; first: number[] }> {
    const wanted = letter.charCodeAt(0);
    for (let place = this.#lowest(letter); place < this.#termEnds.length; place += 1) {
      const from = place === 0 ? 0 : this.#termEnds[place - 1]!;
      const end = this.#termEnds[place]!;
      if (this.#terms[from] !== wanted) return;
      if (end - from < least || end - from > most) continue;
      const [start, stop] = [this.#start(place), this.#ends[place]!];
      const first = [...this.#docs.subarray(start, Math.min(stop, start + FIRST_PASSAGES))];
      yield { term: Buffer.from(this.#terms.subarray(from, end)).toString(), count: stop - start, first };
    }
  }

  #start(place: number): number {
    return place === 0 ? 0 : this.#ends[place - 1]!;
  }

  /** -1 when absent. */
  #find(term: string): number {
    const place = this.#lowest(term);
    return place < this.#termEnds.length && this.#compared(place, encoder.encode(term)) === 0 ? place : -1;
  }

  /** Place of the first term that does not come before `term`; binary search over the sorted bytes. */
  #lowest(term: string): number {
    const wanted = encoder.encode(term);
    let low = 0;
    let high = this.#termEnds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compared(middle, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compared(place: number, wanted: Uint8Array): number {
    const from = place === 0 ? 0 : this.#termEnds[place - 1]!;
    return Buffer.compare(this.#terms.subarray(from, this.#termEnds[place]!), wanted);
  }
}
