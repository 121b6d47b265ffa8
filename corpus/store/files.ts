import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { failureReason, isSystemError } from '../../common/index.ts';

export { isSystemError };

/** What went wrong in plain words and without paths, so that it reads the same everywhere. */
export function reasonOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code);
  if (code.startsWith('Z_')) return 'is not gzip, or is damaged';
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'unpacks to more than 1 GB';
  return failureReason(error);
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes at most this much per call, below what one call of the operating system takes. */
const CHUNK = 64 * 1024 * 1024;

/** A file that is written from front to back, hashed as it goes, and on the disk once `close` returns. */
class HashedFile {
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  bytes = 0;

  constructor(path: string) {
    this.#fd = openSync(path, 'wx');
  }

  write(data: Uint8Array): void {
    this.#hash.update(data);
    for (let at = 0; at < data.byteLength; ) {
      at += writeSync(this.#fd, data, at, Math.min(CHUNK, data.byteLength - at));
    }
    this.bytes += data.byteLength;
  }

  close(): { bytes: number; sha256: string } {
    fsyncSync(this.#fd);
    closeSync(this.#fd);
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }

  /** Lets go of the file after a failure. */
  abandon(): void {
    try {
      closeSync(this.#fd);
    } catch {
      // It was closed before; there is nothing more to let go of.
    }
  }
}

/** A file that is not there yet, on the disk once this returns. */
export function writeFile(path: string, parts: Iterable<Uint8Array>): { bytes: number; sha256: string } {
  const file = new HashedFile(path);
  try {
    for (const part of parts) file.write(part);
    return file.close();
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** Makes the entries of a folder durable; where a folder cannot be synced (Windows), renames already are. */
export function syncFolder(dir: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(dir, 'r');
    fsyncSync(fd);
  } catch (error) {
    if (!isSystemError(error, 'EPERM', 'EISDIR', 'EINVAL', 'EACCES')) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** A file of a folder with other content: from one moment to the next, durable when this returns. */
export function replaceFile(dir: string, name: string, content: Uint8Array): void {
  const fresh = join(dir, `${name}.new`);
  rmSync(fresh, { force: true });
  writeFile(fresh, [content]);
  syncFolder(dir);
  renameSync(fresh, join(dir, name));
  syncFolder(dir);
}

/** A whole file in memory of its own, so that typed arrays can be laid over it, with its hash. */
export function readHashed(
  path: string,
  bytes: number,
): { data: Uint8Array<ArrayBuffer>; sha256: string } | null {
  const fd = openSync(path, 'r');
  try {
    const data = new Uint8Array(bytes);
    const hash = createHash('sha256');
    let at = 0;
    while (at < bytes) {
      const got = readSync(fd, data, at, Math.min(CHUNK, bytes - at), null);
      if (got === 0) return null;
      hash.update(data.subarray(at, at + got));
      at += got;
    }
    return readSync(fd, new Uint8Array(1), 0, 1, null) === 0 ? { data, sha256: hash.digest('hex') } : null;
  } finally {
    closeSync(fd);
  }
}
