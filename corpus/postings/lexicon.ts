import type { SegmentSource } from '../types.ts';
import { damaged, numbers } from './numbers.ts';

/** Most terms of one query that are scored. */
export const MAX_SCORED_TERMS = 256;

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

/** The terms of one field with the number of passages that hold each, read in place from the segments of a FieldWriter. */
export class Lexicon {
  /** Passages of the index. */
  readonly size: number;
  /** UTF-8, sorted by bytes. */
  protected readonly terms: Uint8Array;
  protected readonly termEnds: Uint32Array;
  /** Where the postings of a term end. */
  protected readonly ends: Uint32Array;

  /** Throws INDEX_UNUSABLE when the segments do not fit together. */
  constructor(source: SegmentSource, name: string, size: number) {
    this.size = size;
    this.terms = source.segment(`postings.${name}.terms`);
    this.termEnds = numbers(source, `postings.${name}.term-ends`, Uint32Array);
    this.ends = numbers(source, `postings.${name}.ends`, Uint32Array);
    const fits =
      this.ends.length === this.termEnds.length && (this.termEnds.at(-1) ?? 0) === this.terms.length;
    if (!fits) throw damaged(`the terms of "${name}" do not fit together`);
  }

  /** The terms with their weights; of more than {@link MAX_SCORED_TERMS} the heaviest. Terms must be distinct. */
  weigh(terms: readonly QueryTerm[]): WeightedTerm[] {
    const weighted = terms.map(({ term, weight }) => {
      const place = this.find(term);
      return { term, place, weight: weight * idf(this.size, place < 0 ? 0 : this.count(place)) };
    });
    if (weighted.length <= MAX_SCORED_TERMS) return weighted;
    return weighted.sort((a, b) => b.weight - a.weight).slice(0, MAX_SCORED_TERMS);
  }

  /** How many passages hold the term at a place. */
  count(place: number): number {
    return this.ends[place]! - this.start(place);
  }

  /**
   * Terms that begin with an ASCII letter and have `least` to `most` letters, in the order of their bytes; `count`: the
   * passages that hold it.
   */
  *termsLike(letter: string, least: number, most: number): Generator<{ term: string; count: number }> {
    const wanted = letter.charCodeAt(0);
    for (let place = this.#lowest(letter); place < this.termEnds.length; place += 1) {
      const from = place === 0 ? 0 : this.termEnds[place - 1]!;
      const end = this.termEnds[place]!;
      if (this.terms[from] !== wanted) return;
      if (end - from < least || end - from > most) continue;
      yield { term: this.termAt(place), count: this.count(place) };
    }
  }

  protected termAt(place: number): string {
    const from = place === 0 ? 0 : this.termEnds[place - 1]!;
    return Buffer.from(this.terms.subarray(from, this.termEnds[place]!)).toString();
  }

  protected start(place: number): number {
    return place === 0 ? 0 : this.ends[place - 1]!;
  }

  /** -1 when absent. */
  protected find(term: string): number {
    const place = this.#lowest(term);
    return place < this.termEnds.length && this.#compared(place, encoder.encode(term)) === 0 ? place : -1;
  }

  /** Place of the first term that does not come before `term`; binary search over the sorted bytes. */
  #lowest(term: string): number {
    const wanted = encoder.encode(term);
    let low = 0;
    let high = this.termEnds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compared(middle, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compared(place: number, wanted: Uint8Array): number {
    const from = place === 0 ? 0 : this.termEnds[place - 1]!;
    return Buffer.compare(this.terms.subarray(from, this.termEnds[place]!), wanted);
  }
}

/** Inverse document frequency as in Lucene, of a term that `df` of `size` passages hold. */
export function idf(size: number, df: number): number {
  return Math.log(1 + (size - df + 0.5) / (df + 0.5));
}
