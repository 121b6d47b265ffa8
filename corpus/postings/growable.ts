/** A Uint32Array that grows by doubling. */
export class Growable {
  length = 0;
  #items = new Uint32Array(1024);

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = value;
  }

  /** The values so far; valid until the next `push`. */
  view(): Uint32Array {
    return this.#items.subarray(0, this.length);
  }
}
