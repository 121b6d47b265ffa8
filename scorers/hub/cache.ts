/**
 * The hub's cache on disk, as huggingface_hub lays it out: `models--org--name/blobs/<etag>` holds the bytes,
 * `snapshots/<commit>/<path>` links to them, `refs/<revision>` names the commit of a branch or tag.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isSystemError } from '../../system-error.ts';
import { writeWholeFile } from '../../whole-file.ts';

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

  blob(etag: string): string {
    return join(this.#folder, 'blobs', etag);
  }

  /** Ours: other tools lock by other means and write to other names, and must not write into one file with us. */
  incomplete(etag: string): string {
    return `${this.blob(etag)}.pragaura.incomplete`;
  }

  async lockPath(etag: string): Promise<string> {
    await mkdir(this.#locks, { recursive: true });
    return join(this.#locks, `${etag}.pragaura.lock`);
  }

  /** The commit that a revision stood for when it was last pulled, by us or by another tool; null when never. */
  async commitOf(revision: string): Promise<string | null> {
    if (COMMIT.test(revision)) return revision;
    try {
      const commit = (await readFile(join(this.#folder, 'refs', revision), 'utf8')).trim();
      return COMMIT.test(commit) ? commit : null;
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null;
      throw error;
    }
  }

  /** The path of a file of this revision; null when it is not in the cache. */
  async find(revision: string, path: string): Promise<string | null> {
    const commit = await this.commitOf(revision);
    if (commit === null) return null;
    const pointer = this.pointer(commit, path);
    return (await isFile(pointer)) ? pointer : null;
  }

  async ready(): Promise<void> {
    await mkdir(join(this.#folder, 'blobs'), { recursive: true });
  }

  async hasBlob(etag: string): Promise<boolean> {
    return await isFile(this.blob(etag));
  }

  /** Makes a blob appear under the path that it has in a commit; a copy of it where links cannot be made. */
  async link(commit: string, path: string, etag: string): Promise<string> {
    const pointer = this.pointer(commit, path);
    const aside = `${pointer}.${randomUUID()}.tmp`;
    await mkdir(dirname(pointer), { recursive: true });
    try {
      await symlink(relative(dirname(pointer), this.blob(etag)), aside);
    } catch (error) {
      if (!isSystemError(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'UNKNOWN')) throw error;
      await copyFile(this.blob(etag), aside);
    }
    await rename(aside, pointer);
    return pointer;
  }

  async writeRef(revision: string, commit: string): Promise<void> {
    if (revision === commit || (await this.commitOf(revision)) === commit) return;
    await writeWholeFile(join(this.#folder, 'refs', revision), commit, HINT);
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return false;
    throw error;
  }
}
