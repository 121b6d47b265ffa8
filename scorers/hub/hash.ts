/** The hashes by which a hub names files: sha256 for large ones, git's own for small ones. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface Sums {
  bytes: number;
  sha256: string;
  /** The name that git gives to such bytes. */
  git: string;
}

/** Hashes bytes as they come; `total`: how many will come. */
export class Hashing {
  readonly #sha256 = createHash('sha256');
  readonly #git;
  bytes = 0;

  constructor(total: number) {
    this.#git = createHash('sha1').update(`blob ${total}\0`);
  }

  add(chunk: Uint8Array): void {
    this.#sha256.update(chunk);
    this.#git.update(chunk);
    this.bytes += chunk.length;
  }

  /** Ask once. */
  sums(): Sums {
    return { bytes: this.bytes, sha256: this.#sha256.digest('hex'), git: this.#git.digest('hex') };
  }
}

/** Throws what the file system throws, and AbortError. */
export async function sumsOf(path: string, signal?: AbortSignal): Promise<Sums> {
  const hashing = new Hashing((await stat(path)).size);
  const stream = createReadStream(path, signal === undefined ? {} : { signal });
  for await (const chunk of stream) hashing.add(chunk as Buffer);
  return hashing.sums();
}

/** Which hash an etag promises; null for those of some mirrors, which are opaque. */
export function promised(etag: string): 'sha256' | 'git' | null {
  if (/^[0-9a-f]{64}$/.test(etag)) return 'sha256';
  return /^[0-9a-f]{40}$/.test(etag) ? 'git' : null;
}

/** What the etag of a file promises and its bytes do not keep: the hash found and the one promised; null when kept. */
export function brokenPromise(etag: string, sums: Sums): { found: string; wanted: string } | null {
  const kind = promised(etag);
  return kind === null || sums[kind] === etag ? null : { found: sums[kind], wanted: etag };
}
