/**
 * The hub's cache on disk, as huggingface_hub lays it out: `models--org--name/blobs/<etag>` holds the bytes,
 * `snapshots/<commit>/<path>` links to them, `refs/<revision>` names the commit of a branch or tag.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isSystemError, PragauraError, systemReason, writeWholeFile } from '../../common/index.ts';

export const COMMIT = /^[0-9a-f]{40}$/;
const HINT = 'Make it writable, or name another folder with HF_HUB_CACHE.';

/** The cached part of one repository. */
export class RepositoryCache {
  readonly #folder: string;
  readonly #locks: string;

  /** `repo`: `org/name`, checked by the lock file's schema. */
  constructor(cacheDir: string, repo: string) {
    const name = ['models', ...repo.split('/')].join('--');
    this.#folder = join(cacheDir, name);
    this.#locks = join(cacheDir, '.locks', name);
  }

  /** Where a file of a commit is found, whether or not it is there. */
  pointer(commit: string, path: string): string {
    return join(this.#folder, 'snapshots', commit, path);
  }

  /** Where the bytes of an etag lie, whether or not they are there. */
  blob(etag: string): string {
    return join(this.#folder, 'blobs', etag);
  }

  /** Ours: other tools lock by other means and write to other names, and must not write into one file with us. */
  incomplete(etag: string): string {
    return `${this.blob(etag)}.pragaura.incomplete`;
  }

  /** The lock of a blob that is being written; makes its folder. Throws what the file system throws. */
  async lockPath(etag: string): Promise<string> {
    await mkdir(this.#locks, { recursive: true });
    return join(this.#locks, `${etag}.pragaura.lock`);
  }

  /**
   * The commit that a revision stood for when it was last pulled, by us or by another tool; null when never. Throws
   * MODEL_UNUSABLE for a cache that cannot be read.
   */
  async commitOf(revision: string): Promise<string | null> {
    if (COMMIT.test(revision)) return revision;
    const ref = join(this.#folder, 'refs', revision);
    try {
      const commit = (await readFile(ref, 'utf8')).trim();
      return COMMIT.test(commit) ? commit : null;
    } catch (error) {
      // The next pull mends a loop.
      if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP')) return null;
      throw unreadable(ref, error);
    }
  }

  /** The path of a file of this revision; null when it is not in the cache. Throws what `commitOf` throws. */
  async find(revision: string, path: string): Promise<string | null> {
    const commit = await this.commitOf(revision);
    if (commit === null) return null;
    const pointer = this.pointer(commit, path);
    try {
      return (await isFile(pointer)) ? pointer : null;
    } catch (error) {
      throw unreadable(pointer, error);
    }
  }

  /** Makes the folder of the blobs. Throws what the file system throws. */
  async ready(): Promise<void> {
    await mkdir(join(this.#folder, 'blobs'), { recursive: true });
  }

  /** Whether there are bytes for an etag, right or not. Throws what the file system throws. */
  async hasBlob(etag: string): Promise<boolean> {
    return await isFile(this.blob(etag));
  }

  /**
   * Makes a blob appear under the path that it has in a commit; a copy of it where links cannot be made. Throws what the
   * file system throws.
   */
  async link(commit: string, path: string, etag: string): Promise<string> {
    const pointer = this.pointer(commit, path);
    const aside = `${pointer}.${randomUUID()}.tmp`;
    await mkdir(dirname(pointer), { recursive: true });
    try {
      try {
        await symlink(relative(dirname(pointer), this.blob(etag)), aside);
      } catch (error) {
        if (!isSystemError(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'UNKNOWN')) throw error;
        await copyFile(this.blob(etag), aside);
      }
      await rename(aside, pointer);
    } catch (error) {
      // Other tools read this folder.
      await rm(aside, { force: true }).catch(() => {});
      throw error;
    }
    return pointer;
  }

  /** Records the commit of a revision. Throws WRITE_FAILED, and what `commitOf` throws. */
  async writeRef(revision: string, commit: string): Promise<void> {
    if (revision === commit || (await this.commitOf(revision)) === commit) return;
    await writeWholeFile(join(this.#folder, 'refs', revision), commit, HINT);
  }
}

/** What the system refuses to read, as MODEL_UNUSABLE; any other error as it is. */
export function unreadable(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new PragauraError('MODEL_UNUSABLE', `${path} cannot be read: ${systemReason(error)}.`, {
    hint: 'Make it readable. Pulled models are looked for where HF_HUB_CACHE says.',
    cause: error,
  });
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return false;
    throw error;
  }
}
