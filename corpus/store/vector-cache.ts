import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;
const CHECK_BYTES = 8;

/** The check of a record: without it a crash of the machine could leave a vector of zeros that looks whole. */
function checkOf(key: Uint8Array, vector: Uint8Array): Buffer {
  return createHash('sha256').update(key).update(vector).digest().subarray(0, CHECK_BYTES);
}

/**
 * Vectors of a build under way, appended to a file as they are computed, so that an interrupted build does not
 * compute them twice. Keyed by the sha256 (hex) of the embedded text; one file an embedder.
 */
export class VectorCache {
  readonly #fd: number;
  readonly #dimension: number;
  #isOpen = true;
  readonly #vectors = new Map<string, Float32Array>();

  /** Reads what an earlier run left; its torn or damaged end is cut off. */
  constructor(dir: string, embedder: { sha256: string; dimension: number }) {
    mkdirSync(dir, { recursive: true });
    this.#dimension = embedder.dimension;
    const path = join(dir, `vectors-${embedder.sha256.slice(0, 16)}-${embedder.dimension}.bin`);
    this.#fd = openSync(path, 'a+');
    ftruncateSync(this.#fd, this.#load());
  }

  #load(): number {
    const size = KEY_BYTES + CHECK_BYTES + this.#dimension * 4;
    const record = Buffer.alloc(size);
    for (let at = 0; ; at += size) {
      if (readSync(this.#fd, record, 0, size, at) < size) return at;
      const key = record.subarray(0, KEY_BYTES);
      const vector = record.subarray(KEY_BYTES + CHECK_BYTES);
      if (!checkOf(key, vector).equals(record.subarray(KEY_BYTES, KEY_BYTES + CHECK_BYTES))) return at;
      this.#vectors.set(key.toString('hex'), new Float32Array(new Uint8Array(vector).buffer));
    }
  }

  get size(): number {
    return this.#vectors.size;
  }

  get(key: string): Float32Array | undefined {
    return this.#vectors.get(key);
  }

  append(keys: readonly string[], vectors: readonly Float32Array[]): void {
    const parts = keys.flatMap((hex, i) => {
      const key = Buffer.from(hex, 'hex');
      const vector = vectors[i]!;
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      return [key, checkOf(key, bytes), bytes];
    });
    const block = Buffer.concat(parts);
    for (let at = 0; at < block.length; ) at += writeSync(this.#fd, block, at);
  }

  /** May be called again. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}
