import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { isSystemError, reasonOf } from '../store/files.ts';
import { CURRENT, POINTER } from '../store/layout.ts';
import type { Failure } from '../types.ts';

/**
 * A file to read. `name`, the base of its document ids: the folder that was named and the path below it, parted by
 * "/", so that files of the same name in two folders are two documents; of a file that was named, its own name.
 */
export interface InputFile {
  path: string;
  name: string;
  format: Format;
  gzip: boolean;
  /** What is read in place of the file: part of it, or all of it as it was. */
  bytes?: Uint8Array;
  /** The line of the file that `bytes` begin with; default 1. */
  line?: number;
}

export const FORMATS = ['md', 'txt', 'html', 'pdf', 'docx', 'csv', 'jsonl', 'json'] as const;
export type Format = (typeof FORMATS)[number];

const ENDINGS = new Map<string, Format>([
  ['.md', 'md'],
  ['.markdown', 'md'],
  ['.txt', 'txt'],
  ['.text', 'txt'],
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.xhtml', 'html'],
  ['.pdf', 'pdf'],
  ['.docx', 'docx'],
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
  ['.json', 'json'],
]);
/** Ends of the names of files that are one document each, and not many records. */
export const DOCUMENT_ENDINGS: readonly string[] = [...ENDINGS]
  .filter(([, format]) => format !== 'jsonl' && format !== 'json')
  .map(([end]) => end);
const BINARY: readonly Format[] = ['pdf', 'docx'];

export interface Found {
  files: InputFile[];
  failures: Failure[];
  /** Files in folders whose names promise no format that is read here. */
  skipped: number;
}

function formatOf(path: string): { format: Format; gzip: boolean } | null {
  const gzip = /\.gz$/i.test(path);
  const format = ENDINGS.get(extname(gzip ? path.slice(0, -3) : path).toLowerCase());
  return format === undefined || (gzip && BINARY.includes(format)) ? null : { format, gzip };
}

/** Whether a folder is an index of ours; its files are not documents. */
function isIndex(dir: string): boolean {
  try {
    return readFileSync(join(dir, CURRENT), 'utf8').startsWith(POINTER);
  } catch {
    return false;
  }
}

class Walk {
  readonly found: Found = { files: [], failures: [], skipped: 0 };
  readonly #exclude: string;
  readonly #seen = new Set<string>();
  readonly #read = new Set<string>();

  constructor(exclude: string) {
    this.#exclude = exclude;
  }

  #fail(name: string, error: unknown): void {
    this.found.failures.push({ name, code: 'UNREADABLE_DOCUMENT', reason: reasonOf(error) });
  }

  /** The same file named twice is one file. */
  #add(file: InputFile): void {
    const real = realpathSync(file.path);
    const identity = JSON.stringify([real, file.name]);
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    this.#read.add(real);
    this.found.files.push(file);
  }

  folder(dir: string, prefix: string): void {
    try {
      const real = realpathSync(dir);
      if (real === this.#exclude || this.#seen.has(real) || isIndex(real)) return;
      this.#seen.add(real);
      for (const entry of readdirSync(dir).sort()) {
        if (!entry.startsWith('.') && entry !== 'node_modules')
          this.#entry(join(dir, entry), `${prefix}${entry}`);
      }
    } catch (error) {
      this.#fail(prefix === '' ? dir : prefix, error);
    }
  }

  #entry(path: string, name: string): void {
    try {
      const stats = statSync(path);
      if (stats.isDirectory()) this.folder(path, `${name}/`);
      else {
        const format = stats.isFile() ? formatOf(path) : null;
        if (format === null) this.found.skipped += 1;
        else this.#add({ path, name, ...format });
      }
    } catch (error) {
      // A link to nowhere is nothing to read; anything else is worth a word.
      if (isSystemError(error, 'ENOENT', 'ELOOP') && lstatSync(path).isSymbolicLink())
        this.found.skipped += 1;
      else this.#fail(name, error);
    }
  }

  namedFolder(path: string): void {
    // The root of a disk has no name.
    this.folder(path, basename(path) === '' ? '' : `${basename(path)}/`);
  }

  /**
   * A file that was named is read as text where its name does not say more. One that a folder held as well keeps the
   * name that it has there.
   */
  namedFile(path: string): void {
    if (!statSync(path).isFile()) this.#fail(basename(path), new Error('is neither a file nor a folder'));
    else if (!this.#read.has(realpathSync(path))) {
      const gzip = /\.gz$/i.test(path);
      this.#add({ path, name: basename(path), ...(formatOf(path) ?? { format: 'txt', gzip }) });
    }
  }
}

/**
 * The files under the paths given, folders with all that is in them. Hidden entries, `node_modules`, `exclude` and
 * folders that are an index are passed over; symbolic links are followed, each folder once.
 * @throws NOT_FOUND when a path does not exist
 */
export function findFiles(paths: readonly string[], exclude: string): Found {
  const walk = new Walk(exclude);
  const attempt = <T>(path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new PragauraError('NOT_FOUND', `${path}: ${reasonOf(error)}.`, {
        hint: 'Name files or folders that exist and that you may read.',
        cause: error,
      });
    }
  };
  const isFolder = (path: string) => attempt(path, () => statSync(path).isDirectory());
  // The outer one first, whichever was named first.
  const folders = paths.filter(isFolder).sort((a, b) => (resolve(a) < resolve(b) ? -1 : 1));
  for (const path of folders) attempt(path, () => walk.namedFolder(resolve(path)));
  for (const path of paths) {
    if (!folders.includes(path)) attempt(path, () => walk.namedFile(resolve(path)));
  }
  return walk.found;
}
