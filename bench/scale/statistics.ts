/** What text is like as text: how its vocabulary grows, and how often its words occur. */
import { type Fit, powerLaw } from './fit.ts';

const WORD = /\p{L}+/gu;

/** Words in small letters, numbers left out. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

export interface TextReport {
  texts: number;
  words: number;
  vocabulary: number;
  /** Vocabulary over words seen, from a tenth of all words to all (Heaps): V = k * n^exponent. */
  heaps: Fit;
  /** Occurrences over ranks (Zipf): of the ranks from 10 to 1,000, and from there to a tenth of the vocabulary. */
  zipf: { head: Fit; tail: Fit };
}

/** Points a decade at which the vocabulary is noted and ranks are read off. */
const POINTS = 20;

/** Counts texts one after the other, in memory that the vocabulary takes. */
export class TextStatistics {
  readonly #counts = new Map<string, number>();
  readonly #growth: { words: number; vocabulary: number }[] = [];
  #texts = 0;
  #words = 0;
  #next = 1;

  add(text: string): void {
    this.#texts += 1;
    for (const word of wordsOf(text)) {
      this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
      this.#words += 1;
      if (this.#words < this.#next) continue;
      this.#growth.push({ words: this.#words, vocabulary: this.#counts.size });
      this.#next = Math.ceil(this.#next * 10 ** (1 / POINTS));
    }
  }

  /** Vocabulary over words from a tenth of all words on, since it bends before. Throws USAGE where there are too few. */
  heaps(): Fit {
    const late = this.#growth.filter(({ words }) => words >= this.#words / 10);
    return powerLaw(late.map(({ words, vocabulary }) => ({ x: words, y: vocabulary })));
  }

  /** Throws USAGE where there are too few words for a slope. */
  report(): TextReport {
    const sorted = Float64Array.from(this.#counts.values()).sort().reverse();
    const occurrences = (from: number, to: number) => {
      const points: { x: number; y: number }[] = [];
      for (let rank = from; rank <= to; rank = Math.ceil(rank * 10 ** (1 / POINTS)))
        points.push({ x: rank, y: sorted[rank - 1]! });
      return powerLaw(points);
    };
    const middle = Math.min(1_000, Math.floor(sorted.length / 40));
    return {
      texts: this.#texts,
      words: this.#words,
      vocabulary: this.#counts.size,
      heaps: this.heaps(),
      zipf: { head: occurrences(10, middle), tail: occurrences(middle, Math.floor(sorted.length / 10)) },
    };
  }

  get words(): number {
    return this.#words;
  }

  /** Words with how often each occurs. */
  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
