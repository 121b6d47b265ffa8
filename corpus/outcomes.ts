/** From a file to its documents, cut into passages: what depends on the file alone. */
import type { Passage } from './passages/passage.ts';
import { type SplitOptions, splitDocument } from './passages/split.ts';
import { readDocuments } from './readers/read-file.ts';
import type { InputFile } from './readers/walk.ts';
import { sha256 } from './store/files.ts';
import type { Block, DocumentEntry, Failure, Part, SourceDocument } from './types.ts';

/** A document cut into passages. `first` is not yet known. */
export interface Collected {
  entry: Omit<DocumentEntry, 'first'>;
  passages: readonly Passage[];
  readonly parts: readonly Part[];
}

/** What came of a document (without passages where it has no text), or of what could not be read. `linksOnly`: the source of one that is nothing but links. */
export type Outcome = Collected | { linksOnly: string } | Failure;

export interface Cutting extends SplitOptions {
  /** What an earlier build made of a document. */
  known?: (docId: string) => Collected | undefined;
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

function outcomeOf(document: SourceDocument, options: Cutting): Outcome {
  const { docId, title, source, parts, hidden } = document;
  if (document.index) return { linksOnly: source };
  const hash = contentHash(document);
  const known = options.known?.(docId);
  const passages =
    known?.entry.hash === hash
      ? known.passages.map((passage) => ({ ...passage, position: document.positionAt(passage.start) }))
      : splitDocument(document, options);
  return {
    entry: { docId, title, source, hash, passages: passages.length, ...(hidden && { hidden }) },
    passages,
    parts,
  };
}

/** Reads a file and cuts its documents into passages. Never throws for what the file holds. */
export async function* outcomesOf(file: InputFile, options: Cutting): AsyncGenerator<Outcome> {
  for await (const item of readDocuments(file)) yield 'reason' in item ? item : outcomeOf(item, options);
}
