import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BuildOptions } from '../build-options.ts';

/** Folders of one test file; `clear` belongs into `afterEach`. */
export class Scratch {
  #dirs: string[] = [];

  /** A new folder with these files in it. Each has the same name, which its documents' ids start with. */
  folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    const parent = mkdtempSync(join(tmpdir(), 'pragaura-corpus-'));
    chmodSync(parent, 0o755);
    this.#dirs.push(parent);
    const dir = join(parent, 'docs');
    mkdirSync(dir);
    for (const [name, content] of Object.entries(files)) put(dir, name, content);
    return dir;
  }

  clear(): void {
    for (const dir of this.#dirs) rmSync(dir, { recursive: true, force: true });
    this.#dirs = [];
  }
}

export function put(dir: string, name: string, content: string | Uint8Array): void {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const DIMENSION = 8;

/** A unit vector that depends on the text alone: what the index is about is which text has which vector. */
export function vectorFor(text: string): Float32Array {
  const digest = createHash('sha256').update(text).digest();
  const vector = Float32Array.from({ length: DIMENSION }, (_, i) => digest[i]! - 127.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Build options with an embedder that counts what it is asked for. */
export function options(
  out: string,
  more: Partial<BuildOptions> = {},
): BuildOptions & { embedded: string[] } {
  const embedded: string[] = [];
  return {
    out,
    embedded,
    embed: async (texts) => {
      embedded.push(...texts);
      return texts.map(vectorFor);
    },
    embedder: { name: 'by-hash', sha256: 'e'.repeat(64), dimension: DIMENSION },
    countTokens: countWords,
    ...more,
  };
}

/** Every file of the current generation with its bytes. */
export function bytesOf(out: string): Record<string, string> {
  const generation = readFileSync(join(out, 'CURRENT'), 'utf8').trim().split(' ')[1]!;
  const dir = join(out, generation);
  return Object.fromEntries(readdirSync(dir).map((file) => [file, readFileSync(join(dir, file), 'latin1')]));
}

/** Runs something as a user whom file permissions bind; the one who runs the tests may be root. */
export async function unprivileged<T>(dirs: readonly string[], work: () => Promise<T>): Promise<T> {
  const root = process.getuid?.() === 0;
  for (const dir of dirs) chmodSync(dir, 0o777);
  if (root) process.seteuid!(65_534);
  try {
    return await work();
  } finally {
    if (root) process.seteuid!(0);
  }
}
