import { createHash } from 'node:crypto';

const SLOTS = 1 << 18;

/**
 * Counts ids that were seen before, in two megabytes however long the stream is: each id's hash has one place in a
 * table and the newest hash stays there. A repeat is missed only when another id took its place in between.
 */
export class DuplicateIds {
  readonly #seen = new BigUint64Array(SLOTS);
  count = 0;
  first: string | null = null;

  add(id: string): void {
    const hash = createHash('sha256').update(id).digest();
    const slot = hash.readUInt32LE(8) % SLOTS;
    const mark = hash.readBigUInt64LE(0);
    if (this.#seen[slot] === mark) {
      this.count += 1;
      this.first ??= id;
    }
    this.#seen[slot] = mark;
  }
}
