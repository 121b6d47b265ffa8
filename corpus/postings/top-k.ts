/** Keeps the `k` best (ordinal, score) pairs seen: a bounded heap with the worst on top. Ties: lower ordinal is better. */
export class TopK {
  readonly #k: number;
  readonly #ordinals: Uint32Array;
  readonly #scores: Float64Array;
  #size = 0;

  constructor(k: number) {
    this.#k = k;
    this.#ordinals = new Uint32Array(k);
    this.#scores = new Float64Array(k);
  }

  /** Score that a new pair must at least reach to have a chance; -Infinity while there is room. */
  get bar(): number {
    return this.#size < this.#k
      ? Number.NEGATIVE_INFINITY
      : this.#k === 0
        ? Number.POSITIVE_INFINITY
        : this.#scores[0]!;
  }

  offer(ordinal: number, score: number): void {
    if (this.#size < this.#k) {
      this.#size++;
      this.#rise(this.#size - 1, ordinal, score);
    } else if (this.#k > 0 && this.#worse(0, ordinal, score)) this.#sink(ordinal, score);
  }

  /** Best first. */
  sorted(): { ordinal: number; score: number }[] {
    const pairs = Array.from({ length: this.#size }, (_, i) => ({
      ordinal: this.#ordinals[i]!,
      score: this.#scores[i]!,
    }));
    return pairs.sort((a, b) => b.score - a.score || a.ordinal - b.ordinal);
  }

  /** Whether the pair kept at `i` is worse than the one given. */
  #worse(i: number, ordinal: number, score: number): boolean {
    const kept = this.#scores[i]!;
    return kept < score || (kept === score && this.#ordinals[i]! > ordinal);
  }

  #rise(hole: number, ordinal: number, score: number): void {
    let at = hole;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#worse(parent, ordinal, score)) break;
      this.#ordinals[at] = this.#ordinals[parent]!;
      this.#scores[at] = this.#scores[parent]!;
      at = parent;
    }
    this.#ordinals[at] = ordinal;
    this.#scores[at] = score;
  }

  #sink(ordinal: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && this.#worse(right, this.#ordinals[child]!, this.#scores[child]!))
        child = right;
      if (!this.#worse(child, ordinal, score)) break;
      this.#ordinals[at] = this.#ordinals[child]!;
      this.#scores[at] = this.#scores[child]!;
      at = child;
    }
    this.#ordinals[at] = ordinal;
    this.#scores[at] = score;
  }
}
