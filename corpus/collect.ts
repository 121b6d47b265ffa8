import { setImmediate } from 'node:timers/promises';
import { PragauraError } from '../common/index.ts';
import { type Collected, type Cutting, type Outcome, outcomesOf } from './outcomes.ts';
import { noTextBut } from './readers/hidden/notes.ts';
import { findFiles, type InputFile } from './readers/walk.ts';
import type { Failure, LeftOut } from './types.ts';

export interface Collection {
  documents: Map<string, Collected>;
  failures: Failure[];
  /** Names of the files that were found. */
  files: ReadonlySet<string>;
  /** Names of files, and of folders with "/" at the end, that could not be read or not to their end. */
  unread: ReadonlySet<string>;
  /** Files that no reader was for. */
  skipped: number;
  /** Documents that are left out of the index, and why: no failures. */
  leftOut: LeftOut[];
}

/** Whether a document with this source came from a file, or from below a folder, that `names` holds. */
export function comesFrom(source: string, names: ReadonlySet<string>): boolean {
  if (names.has(source)) return true;
  for (const mark of source.matchAll(/[#/]/g)) {
    if (names.has(source.slice(0, mark[0] === '/' ? mark.index + 1 : mark.index))) return true;
  }
  return false;
}

/** Parsing never waits for anything, so it has to let signals and timers in now and then. */
const BREATH_MS = 50;

export function interrupted(): PragauraError {
  return new PragauraError('ABORTED', 'Indexing was interrupted.', {
    hint: 'What could be searched before can be still. The same command goes on where this one stopped.',
  });
}

function byName(a: Failure, b: Failure): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/**
 * Reads everything under `paths` and cuts it into passages. `known` hands out what an earlier build made of a
 * document; it is used again when its content has not changed.
 * @throws NOT_FOUND for a path that does not exist, ABORTED when cancelled, and what `elsewhere` throws
 */
export async function collect(
  paths: readonly string[],
  options: Cutting & {
    /** The folder that is being written, never read. */
    exclude: string;
    /** What others made of files; those that it does not hold are read here. */
    elsewhere?:
      | ((files: readonly InputFile[]) => Promise<ReadonlyMap<InputFile, readonly Outcome[]>>)
      | undefined;
    /** The source of a document that stays in the index though it may lie elsewhere; its id is not free. */
    kept: (docId: string) => string | undefined;
    onDocument?: ((done: number, name: string) => void) | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<Collection> {
  const found = findFiles(paths, options.exclude);
  const made = await options.elsewhere?.(found.files);
  const documents = new Map<string, Collected>();
  const failures = [...found.failures];
  const leftOut: LeftOut[] = [];
  const files = new Set(found.files.map(({ name }) => name));
  const unread = new Set(failures.map(({ name }) => name));

  const take = (document: Collected) => {
    const { docId, source, hidden } = document.entry;
    const kept = options.kept(docId);
    const elsewhere = kept === undefined || kept === source || comesFrom(kept, files) ? undefined : kept;
    const taken = documents.get(docId)?.entry.source ?? elsewhere;
    if (taken !== undefined) {
      const reason = `its id ${JSON.stringify(docId)} is taken by ${taken}`;
      failures.push({ name: source, code: 'INVALID_INPUT', reason });
    } else if (document.passages.length === 0) {
      failures.push({ name: source, code: 'UNREADABLE_DOCUMENT', reason: noTextBut(hidden) });
    } else documents.set(docId, document);
  };

  let breathed = performance.now();
  for (const file of found.files) {
    for await (const outcome of made?.get(file) ?? outcomesOf(file, options)) {
      if (performance.now() - breathed > BREATH_MS) {
        await setImmediate();
        breathed = performance.now();
      }
      if (options.signal?.aborted) throw interrupted();
      if ('reason' in outcome) {
        failures.push(outcome);
        if (outcome.name === file.name) unread.add(file.name);
      } else if ('linksOnly' in outcome) {
        leftOut.push({ name: outcome.linksOnly, reason: 'is an index of links', of: null });
      } else take(outcome);
      options.onDocument?.(documents.size, file.name);
    }
  }
  return { documents, failures: failures.sort(byName), files, unread, skipped: found.skipped, leftOut };
}
