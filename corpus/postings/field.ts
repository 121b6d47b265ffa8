import type { SegmentSource } from '../types.ts';
import { MAX_TF } from './field-writer.ts';
import { Lexicon, type WeightedTerm } from './lexicon.ts';
import { damaged, numbers } from './numbers.ts';
import { TopK } from './top-k.ts';

/** BM25 (Robertson and Walker 1994) as in Lucene: idf = ln(1 + (N - df + 0.5) / (df + 0.5)). */
export interface Bm25 {
  k1: number;
  b: number;
}

/** k1 * (1 - b + b * length / average length). */
export function normOf({ k1, b }: Bm25, length: number, average: number): number {
  return k1 * (1 - b + (average === 0 ? 0 : (b * length) / average));
}

/**
 * What `Field.search` says of a passage that holds these terms of a field, repeats kept, to the bit. `average`: how many terms
 * a passage has.
 */
export function shareOf(
  query: readonly WeightedTerm[],
  held: readonly string[],
  { parameters, average }: { parameters: Bm25; average: number },
): number {
  const counts = new Map<string, number>();
  for (const term of held) counts.set(term, (counts.get(term) ?? 0) + 1);
  const norm = Math.fround(normOf(parameters, held.length, average));
  let attainable = 0;
  for (const { weight } of query) attainable += weight;
  let share = 0;
  for (const { term, weight } of query) {
    const tf = Math.min(counts.get(term) ?? 0, MAX_TF);
    if (tf > 0) share += ((weight / attainable) * tf) / (tf + norm);
  }
  return share;
}

/** The postings of one field, read in place from the segments that a FieldWriter left. */
export class Field extends Lexicon {
  readonly #docs: Uint32Array;
  readonly #tfs: Uint16Array;
  /** `normOf` each passage. */
  readonly #norms: Float32Array;
  readonly #scores: Float64Array;

  /** Throws INDEX_UNUSABLE when the segments do not fit together or not `size` passages. */
  constructor(source: SegmentSource, name: string, size: number, parameters: Bm25) {
    super(source, name, size);
    this.#docs = numbers(source, `postings.${name}.docs`, Uint32Array);
    this.#tfs = numbers(source, `postings.${name}.tfs`, Uint16Array);
    const lengths = numbers(source, `postings.${name}.lengths`, Uint32Array, size);
    const fits = this.#docs.length === this.#tfs.length && (this.ends.at(-1) ?? 0) === this.#docs.length;
    if (!fits) throw damaged(`the postings of "${name}" do not fit its passages`);
    let total = 0;
    for (const length of lengths) total += length;
    const average = total / size;
    this.#norms = new Float32Array(size);
    for (let i = 0; i < size; i++) this.#norms[i] = normOf(parameters, lengths[i]!, average);
    this.#scores = new Float64Array(size);
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

  /** Each term with the passages that hold it, ascending, and what it adds to the score of each at a weight of 1. */
  *postings(): Generator<{ term: string; ordinals: Uint32Array; shares: Float32Array }> {
    for (let place = 0; place < this.ends.length; place += 1) {
      const from = this.start(place);
      const ordinals = this.#docs.subarray(from, this.ends[place]!);
      const shares = Float32Array.from(ordinals, (ordinal, i) => {
        const tf = this.#tfs[from + i]!;
        return tf / (tf + this.#norms[ordinal]!);
      });
      yield { term: this.termAt(place), ordinals, shares };
    }
  }

  /** Ordinals of the first `most` passages that hold a term. */
  firstHolding(term: string, most: number): number[] {
    const place = this.find(term);
    if (place < 0) return [];
    const start = this.start(place);
    return [...this.#docs.subarray(start, Math.min(this.ends[place]!, start + most))];
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
    const end = this.ends[place]!;
    for (let i = this.start(place); i < end; i++) {
      const doc = docs[i]!;
      const tf = tfs[i]!;
      scores[doc]! += (weight * tf) / (tf + norms[doc]!);
    }
  }
}
