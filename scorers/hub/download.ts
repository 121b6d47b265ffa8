/** One file from the hub into the cache: resumed where it stopped, checked, and only then given its name. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  holderOf,
  isSystemError,
  Passing,
  PragauraError,
  systemReason,
  tryFileLock,
} from '../../common/index.ts';
import type { RepositoryCache } from './cache.ts';
import { discard, type FileOnHub, type Hub, unreachable } from './client.ts';
import { brokenPromise, Hashing, promised, type Sums, sumsOf } from './hash.ts';
import { aborted, checkAborted } from './refusals.ts';
import type { HubSettings } from './settings.ts';

export interface DownloadOptions {
  signal?: AbortSignal | undefined;
  announce?: (message: string) => void;
  /** Bytes that are here, of those that there are. */
  onProgress?: (done: number, total: number) => void;
}

/** What a file must be. `another`: the error for one that is what the hub says, and yet not this. */
export interface Expected {
  sha256: string | undefined;
  another: (found: string) => PragauraError;
}

const LOCK_POLL_MS = 200;
const READ_BYTES = 1024 * 1024;

/**
 * Brings a file into `blobs`, unless it is there: whole, with the hash that its etag promises, and with the one that is
 * expected where that is known. What came before an interruption stays and is gone on with. One process at a time writes
 * a file; the others wait and find it.
 *
 * Throws MODEL_UNUSABLE for bytes with another hash (what came is thrown away, what others brought is left to them),
 * HUB_UNAVAILABLE, WRITE_FAILED (no space, no permission), ABORTED.
 */
export async function download(
  hub: Hub,
  cache: RepositoryCache,
  file: FileOnHub,
  expected: Expected,
  options: DownloadOptions = {},
): Promise<{ sha256: string; fetched: boolean }> {
  return await kept(file, hub.settings, options, async () => {
    await cache.ready();
    const release = await waitForLock(await cache.lockPath(file.etag), file, options);
    try {
      if (await cache.hasBlob(file.etag)) {
        const sums = await sumsOf(cache.blob(file.etag), options.signal);
        const wrong = wrongOf(file, sums, expected);
        if (wrong === null) return { sha256: sums.sha256, fetched: false };
        if (wrong.isAnother) throw expected.another(sums.sha256);
        // It stays until a right one takes its name: another tool may be using it.
        options.announce?.(`${file.path} of ${file.repo} is damaged in the cache; fetching it anew.`);
      }
      return { sha256: await fetchBlob(hub, cache, file, expected, options), fetched: true };
    } finally {
      release();
    }
  });
}

/** Does what writes to the cache. Throws WRITE_FAILED for what the disk refuses, ABORTED once the signal has fired. */
export async function kept<T>(
  { path, repo }: Pick<FileOnHub, 'path' | 'repo'>,
  { cacheDir }: Pick<HubSettings, 'cacheDir'>,
  { signal }: Pick<DownloadOptions, 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw aborted(error);
    if (!isSystemError(error)) throw error;
    const full = isSystemError(error, 'ENOSPC', 'EDQUOT');
    throw new PragauraError(
      'WRITE_FAILED',
      `${path} of ${repo} cannot be kept in ${cacheDir}: ${systemReason(error)}.`,
      {
        hint: `${full ? 'Make room' : 'Make it writable'}, or name another folder with HF_HUB_CACHE; the same command goes on where it stopped.`,
        cause: error,
      },
    );
  }
}

async function waitForLock(
  path: string,
  file: FileOnHub,
  { signal, announce }: DownloadOptions,
): Promise<() => void> {
  let said = false;
  for (;;) {
    checkAborted(signal);
    const release = tryFileLock(path);
    if (release !== null) return release;
    if (!said)
      announce?.(
        `${file.path} of ${file.repo} is being pulled by ${holderOf(path)}; waiting for it. If no such process runs, remove ${path}.`,
      );
    said = true;
    await sleep(LOCK_POLL_MS, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw aborted(error);
    });
  }
}

async function fetchBlob(
  hub: Hub,
  cache: RepositoryCache,
  file: FileOnHub,
  expected: Expected,
  options: DownloadOptions,
): Promise<string> {
  const partial = cache.incomplete(file.etag);
  const handle = await open(partial, 'a+');
  let found: Sums;
  try {
    const part = new Part(handle, file, options);
    const resumed = await part.resume();
    await hub.patiently(() => part.rest(hub));
    found = part.sums();
    if (resumed && wrongOf(file, found, expected) !== null) {
      // The old bytes may be to blame: once more, all of them.
      await part.restart();
      await hub.patiently(() => part.rest(hub));
      found = part.sums();
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  const wrong = wrongOf(file, found, expected);
  if (wrong !== null) {
    await rm(partial, { force: true });
    throw wrong.isAnother
      ? expected.another(found.sha256)
      : otherHash(file, wrong.found, wrong.wanted, 'what came was thrown away');
  }
  await rename(partial, cache.blob(file.etag));
  return found.sha256;
}

interface Wrong {
  found: string;
  wanted: string;
  /** The bytes keep what the etag promises: they are not damaged, they are another file. */
  isAnother?: boolean;
}

/** What does not fit: the size, the hash that the etag promises, or the one that is expected. */
function wrongOf({ etag, bytes }: FileOnHub, found: Sums, { sha256 }: Expected): Wrong | null {
  if (found.bytes !== bytes) {
    return { found: `of ${found.bytes} bytes`, wanted: `that of ${bytes} bytes` };
  }
  const broken = brokenPromise(etag, found);
  if (broken !== null || sha256 === undefined || found.sha256 === sha256) return broken;
  return { found: found.sha256, wanted: sha256, isAnother: promised(etag) !== null };
}

function otherHash(file: FileOnHub, found: string, wanted: string, what: string): PragauraError {
  return new PragauraError(
    'MODEL_UNUSABLE',
    `${file.path} of ${file.repo} has the hash ${found}, not ${wanted}.`,
    {
      hint: `Nothing of it is used (${what}). If it stays so, the hub or something on the way changed the file.`,
    },
  );
}

/** A file that grows, hashed as it does. */
class Part {
  readonly #handle: FileHandle;
  readonly #file: FileOnHub;
  readonly #options: DownloadOptions;
  #hashing: Hashing;
  /** The most bytes that were ever here: a server that always begins anew gains nothing by repeating them. */
  #most = 0;

  constructor(handle: FileHandle, file: FileOnHub, options: DownloadOptions) {
    this.#handle = handle;
    this.#file = file;
    this.#options = options;
    this.#hashing = new Hashing(file.bytes);
  }

  get #done(): number {
    return this.#hashing.bytes;
  }

  /** Takes up what an earlier run left; true when that was something. */
  async resume(): Promise<boolean> {
    const { size } = await this.#handle.stat();
    if (size > this.#file.bytes) {
      await this.restart();
      return false;
    }
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    while (this.#done < size) {
      checkAborted(this.#options.signal);
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, this.#done);
      if (bytesRead === 0) break;
      this.#hashing.add(buffer.subarray(0, bytesRead));
    }
    this.#most = this.#done;
    return size > 0;
  }

  async restart(): Promise<void> {
    await this.#empty();
    this.#most = 0;
  }

  async #empty(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hashing = new Hashing(this.#file.bytes);
  }

  /** Fetches what is missing; throws `Passing` when it stops half-way. */
  async rest(hub: Hub): Promise<void> {
    const { bytes } = this.#file;
    const { signal, onProgress } = this.#options;
    if (this.#done === bytes) return;
    const { from, stream } = await hub.open(this.#file, this.#done);
    const most = this.#most;
    if (from === 0 && this.#done > 0) await this.#empty();
    const gained = (): boolean => this.#most > most;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        checkAborted(signal);
        if (this.#done + chunk.length > bytes) {
          await this.restart();
          throw otherHash(
            this.#file,
            'of a longer file',
            `that of ${bytes} bytes`,
            'what came was thrown away',
          );
        }
        let at = 0;
        while (at < chunk.length) at += (await this.#handle.write(chunk, at)).bytesWritten;
        this.#hashing.add(chunk);
        this.#most = Math.max(this.#most, this.#done);
        onProgress?.(this.#done, bytes);
      }
    } catch (error) {
      if (
        isSystemError(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS') ||
        PragauraError.isInstance(error)
      )
        throw error;
      if (signal?.aborted) throw aborted(error);
      throw unreachable(this.#file, null, error, gained());
    } finally {
      discard(stream);
    }
    if (this.#done === bytes) return;
    throw new Passing(
      new PragauraError(
        'HUB_UNAVAILABLE',
        `${this.#file.path} of ${this.#file.repo} ended after ${this.#done} of ${bytes} bytes.`,
        {
          hint: 'The same command goes on where it stopped.',
        },
      ),
      { progress: gained() },
    );
  }

  /** Hashes of all the bytes; ask once. */
  sums(): Sums {
    return this.#hashing.sums();
  }
}
