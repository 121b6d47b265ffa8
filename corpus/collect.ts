import { setImmediate } from 'node:timers/promises';
import { PragauraError } from '../common/index.ts';
import type { Passage } from './passages/passage.ts';
import { type SplitOptions, splitDocument } from './passages/split.ts';
import { noTextBut } from './readers/hidden/notes.ts';
import { readDocuments } from './readers/read-file.ts';
import { findFiles } from './readers/walk.ts';
import { sha256 } from './store/files.ts';
import type { Block, DocumentEntry, Failure, LeftOut, Part, SourceDocument } from './types.ts';

/** A document cut into passages. `first` is not yet known. */
export interface Collected {
  entry: Omit<DocumentEntry, 'first'>;
  passages: readonly Passage[];
  readonly parts: readonly Part[];
}

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

/** Hash over what a document's passages are made from; where in its source it stands is no part of it. */
function contentHash({ title, source, text, blocks, parts }: SourceDocument): string {
  const plain = ({ start, end, headings, kind, header, leads, entry, entries }: Block): unknown[] => [
    start,
    end,
    headings,
    kind,
    header ?? null,
    leads ?? false,
    entry ?? false,
    entries?.map(plain) ?? [],
  ];
  return sha256(JSON.stringify([title, source, text, blocks.map(plain), parts]));
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
 * @throws NOT_FOUND for a path that does not exist, ABORTED when cancelled
 */
export async function collect(
  paths: readonly string[],
  options: SplitOptions & {
    /** The folder that is being written, never read. */
    exclude: string;
    known: (docId: string) => Collected | undefined;
    /** The source of a document that stays in the index though it may lie elsewhere; its id is not free. */
    kept: (docId: string) => string | undefined;
    onDocument?: ((done: number, name: string) => void) | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<Collection> {
  const found = findFiles(paths, options.exclude);
  const documents = new Map<string, Collected>();
  const failures = [...found.failures];
  const leftOut: LeftOut[] = [];
  const files = new Set(found.files.map(({ name }) => name));
  const unread = new Set(failures.map(({ name }) => name));

  const take = (document: SourceDocument) => {
    const { docId, title, source, parts, hidden } = document;
    if (document.index) {
      leftOut.push({ name: source, reason: 'is an index of links', of: null });
      return;
    }
    const kept = options.kept(docId);
    const elsewhere = kept === undefined || kept === source || comesFrom(kept, files) ? undefined : kept;
    const taken = documents.get(docId)?.entry.source ?? elsewhere;
    if (taken !== undefined) {
      const reason = `its id ${JSON.stringify(docId)} is taken by ${taken}`;
      failures.push({ name: source, code: 'INVALID_INPUT', reason });
      return;
    }
    const hash = contentHash(document);
    const known = options.known(docId);
    const passages =
      known?.entry.hash === hash
        ? known.passages.map((passage) => ({ ...passage, position: document.positionAt(passage.start) }))
        : splitDocument(document, options);
    if (passages.length === 0) {
      failures.push({ name: source, code: 'UNREADABLE_DOCUMENT', reason: noTextBut(hidden) });
      return;
    }
    documents.set(docId, {
      entry: { docId, title, source, hash, passages: passages.length, ...(hidden && { hidden }) },
      passages,
      parts,
    });
  };

  let breathed = performance.now();
  for (const file of found.files) {
    for await (const item of readDocuments(file)) {
      if (performance.now() - breathed > BREATH_MS) {
        await setImmediate();
        breathed = performance.now();
      }
      if (options.signal?.aborted) throw interrupted();
      if ('reason' in item) {
        failures.push(item);
        if (item.name === file.name) unread.add(file.name);
      } else take(item);
      options.onDocument?.(documents.size, file.name);
    }
  }
  return { documents, failures: failures.sort(byName), files, unread, skipped: found.skipped, leftOut };
}
