const K1 = 1.2;
const B = 0.75;

/**
 * The reference that the others are held against: BM25 (k1 1.2, b 0.75, idf = ln(1 + (N - df + 0.5) / (df + 0.5)))
 * over runs of letters and digits in lower case, no stemming, no stop words, in a Map of arrays.
 */
export class PlainBm25 {
  readonly #postings = new Map<string, { ordinals: number[]; counts: number[] }>();
  readonly #lengths: number[] = [];
  #total = 0;

  add(text: string): void {
    const ordinal = this.#lengths.length;
    const counts = countWords(text);
    let length = 0;
    for (const [word, count] of counts) {
      let posting = this.#postings.get(word);
      if (posting === undefined) {
        posting = { ordinals: [], counts: [] };
        this.#postings.set(word, posting);
      }
      posting.ordinals.push(ordinal);
      posting.counts.push(count);
      length += count;
    }
    this.#lengths.push(length);
    this.#total += length;
  }

  /** Ordinals (in order of `add`) of the `k` best texts that share a word with the query; ties by ordinal. */
  search(query: string, k: number): number[] {
    const n = this.#lengths.length;
    const average = this.#total / n;
    const scores = new Map<number, number>();
    for (const [word, repeats] of countWords(query)) {
      const posting = this.#postings.get(word);
      if (posting === undefined) continue;
      const df = posting.ordinals.length;
      const idf = Math.log(1 + (n - df + 0.5) / (df + 0.5));
      for (let i = 0; i < df; i++) {
        const ordinal = posting.ordinals[i]!;
        const count = posting.counts[i]!;
        const norm = K1 * (1 - B + (B * this.#lengths[ordinal]!) / average);
        const gain = (repeats * idf * count * (K1 + 1)) / (count + norm);
        scores.set(ordinal, (scores.get(ordinal) ?? 0) + gain);
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, k)
      .map(([ordinal]) => ordinal);
  }
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
