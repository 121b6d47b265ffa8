/** What the author marked up, kept beside the passages: parts by document, and passages by the term that they explain. */
import type { Passage } from '../passages/passage.ts';
import type { CorpusIndex, DocumentEntry, Part, SegmentSource, Segments } from '../types.ts';
import { buildEntries, StoredEntries } from './entries.ts';
import { encodeParts, StoredParts } from './parts.ts';
import { writtenAs } from './terms.ts';

export { keysOf } from './entries.ts';
export { termKeys } from './terms.ts';

/** Of the entries of one term so many are looked at for how it is written; the rest follow in order. */
const MAX_EXACT = 500;

interface Texts {
  passages: readonly Passage[];
  documents: readonly DocumentEntry[];
}

/** The place of each passage's document. */
function placesOf({ passages, documents }: Texts): Uint32Array {
  const places = new Uint32Array(passages.length);
  documents.forEach(({ first, passages: count }, place) => {
    places.fill(place, first, first + count);
  });
  return places;
}

/** The blocks of structure of an index. `parts` holds those of each document, in the order of `texts.documents`. */
export function buildStructure(texts: Texts, parts: readonly (readonly Part[])[]): Segments {
  const encoded = encodeParts(parts);
  const stored = new StoredParts({ segment: (name) => encoded[name]! }, parts.length);
  const places = placesOf(texts);
  const entries = buildEntries(texts.passages, (ordinal) => {
    const { start, end } = texts.passages[ordinal]!;
    return stored.within(places[ordinal]!, start, end);
  });
  return { ...encoded, ...entries };
}

/** Structure as an index gives it. */
export interface Structure extends Pick<CorpusIndex, 'partsOf' | 'entriesOf'> {
  /** All parts of a document, by its place. */
  partsOfDocument(place: number): Part[];
}

/** What explains a term: entries as it is written first, then the others, then what stands below headings of that name. */
export function explaining<T>(
  term: string,
  { entries, headings }: { entries: readonly T[]; headings: readonly T[] },
  partsOf: (one: T) => readonly Part[],
): T[] {
  const exact = new Set(
    entries.slice(0, MAX_EXACT).filter((one) => partsOf(one).some((part) => writtenAs(part.term, term))),
  );
  return [...exact, ...entries.filter((one) => !exact.has(one)), ...headings];
}

/** Lays structure over an index's segments. Throws INDEX_UNUSABLE when they are missing or do not fit. */
export function loadStructure(source: SegmentSource, texts: Texts): Structure {
  const parts = new StoredParts(source, texts.documents.length);
  const entries = new StoredEntries(source, texts.passages.length);
  const places = placesOf(texts);
  const partsOf = (ordinal: number) => {
    const passage = texts.passages[ordinal];
    return passage === undefined ? [] : parts.within(places[ordinal]!, passage.start, passage.end);
  };
  return {
    partsOf,
    partsOfDocument: (place) => parts.of(place),
    entriesOf: (term) => explaining(term, entries.find(term), partsOf),
  };
}
