import { PragauraError } from '../../common/index.ts';
import type { Passage } from '../passages/passage.ts';
import type { Part, SegmentSource, Segments } from '../types.ts';
import { termKeys, withoutNumber } from './terms.ts';

const KEYS = 'structure.keys';
const KEY_ENDS = 'structure.key-ends';
const ENDS = 'structure.ends';
const ORDINALS = 'structure.ordinals';

/** Set in an ordinal whose passage stands below a heading of that name; entries have it not. */
const HEADING = 0x8000_0000;

function bytesOf(array: Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** What the title of a document is made of at its marks, it before all: "Vignetting - The Wiki" is about vignetting. */
export function partsOfTitle(title: string): string[] {
  return [title, ...title.split(/\s+[—–-]\s+|:\s+|\s+\(/)];
}

/** The innermost heading above a passage, by its title, without its number. */
export function innermostHeading(title: string): string {
  return withoutNumber(title.split(' > ').at(-1)!);
}

/** Headings below which stands what the thing is that the heading above them names. */
const DESCRIBING = /^(?:description|overview|purpose|introduction|summary)$/i;

/** Whether a section says what the thing above it is, by the title of its passages. */
export function isDescription(title: string): boolean {
  return title.includes(' > ') && DESCRIBING.test(innermostHeading(title));
}

/**
 * What a section is about, by the title of its passages: its innermost heading, and of a description what stands above it;
 * of a document without headings what its title is made of.
 */
export function sectionNames(title: string): string[] {
  const path = title.split(' > ');
  const [last, above] = [path.at(-1)!, path.at(-2)];
  if (above === undefined) return partsOfTitle(last);
  if (!isDescription(title)) return [last];
  return [last, ...(path.length === 2 ? partsOfTitle(above) : [above])];
}

/**
 * The names of the section that a passage begins, without their numbers too, and of the first passage of a document what its
 * title is made of. None where the passage before it stands in the same section.
 */
function headingsOf({ title, docId }: Passage, before: Passage | undefined): string[] {
  if (before !== undefined && before.docId === docId && before.title === title) return [];
  const path = title.split(' > ');
  const titled = before?.docId === docId ? [] : partsOfTitle(path[0]!);
  const names = path.length > 1 ? sectionNames(title) : [];
  return [...new Set([...titled, ...names.flatMap((name) => [name, withoutNumber(name)])])];
}

/** The keys of what a passage explains: as an entry, and as what stands below a heading. */
export function keysOf(
  passages: readonly Passage[],
  ordinal: number,
  parts: readonly Part[],
): { entries: Set<string>; headings: Set<string> } {
  // Of an entry its terms tell the names one by one; what describes them has them joined. Where it goes on it explains nothing.
  const { start: from } = passages[ordinal]!;
  const terms = new Set(parts.flatMap(({ term, start }) => (term === null || start < from ? [] : [term])));
  const headings = headingsOf(passages[ordinal]!, passages[ordinal - 1]);
  return {
    entries: new Set([...terms].flatMap(termKeys)),
    headings: new Set(headings.flatMap(termKeys)),
  };
}

/**
 * Which passages explain which term, by its keys (see `termKeys`). Segments: `structure.keys` (UTF-8, sorted by bytes),
 * `structure.key-ends`, `structure.ends` (Uint32, where a key and its ordinals end), `structure.ordinals` (Uint32,
 * ascending, entries before headings, which have the highest bit set). `partsOf` is that of the index to be.
 */
export function buildEntries(
  passages: readonly Passage[],
  partsOf: (ordinal: number) => readonly Part[],
): Segments {
  const found = new Map<string, { entries: number[]; headings: number[] }>();
  const note = (key: string, kind: 'entries' | 'headings', ordinal: number) => {
    let places = found.get(key);
    if (places === undefined) {
      places = { entries: [], headings: [] };
      found.set(key, places);
    }
    places[kind].push(ordinal);
  };
  passages.forEach((_, ordinal) => {
    const keys = keysOf(passages, ordinal, partsOf(ordinal));
    for (const key of keys.entries) note(key, 'entries', ordinal);
    for (const key of keys.headings) note(key, 'headings', ordinal);
  });
  const keys = [...found.keys()].map((key) => ({ key, bytes: Buffer.from(key) }));
  keys.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const keyEnds = new Uint32Array(keys.length);
  const ends = new Uint32Array(keys.length);
  const ordinals: number[] = [];
  let size = 0;
  keys.forEach(({ key, bytes }, place) => {
    const { entries, headings } = found.get(key)!;
    const known = new Set(entries);
    for (const ordinal of entries) ordinals.push(ordinal);
    for (const ordinal of headings) if (!known.has(ordinal)) ordinals.push((ordinal | HEADING) >>> 0);
    size += bytes.length;
    keyEnds[place] = size;
    ends[place] = ordinals.length;
  });
  return {
    [KEYS]: new Uint8Array(Buffer.concat(keys.map(({ bytes }) => bytes))),
    [KEY_ENDS]: bytesOf(keyEnds),
    [ENDS]: bytesOf(ends),
    [ORDINALS]: bytesOf(Uint32Array.from(ordinals)),
  };
}

/** The terms of an index, looked up where they lie. */
export class StoredEntries {
  readonly #keys: Buffer;
  readonly #keyEnds: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #ordinals: Uint32Array;

  /** Throws INDEX_UNUSABLE when segments are missing or do not belong together. */
  constructor(source: SegmentSource, passages: number) {
    const numbers = (name: string) => {
      const { buffer, byteOffset, byteLength } = source.segment(name);
      return new Uint32Array(buffer, byteOffset, Math.floor(byteLength / 4));
    };
    const { buffer, byteOffset, byteLength } = source.segment(KEYS);
    this.#keys = Buffer.from(buffer, byteOffset, byteLength);
    this.#keyEnds = numbers(KEY_ENDS);
    this.#ends = numbers(ENDS);
    this.#ordinals = numbers(ORDINALS);
    const fits =
      this.#keyEnds.length === this.#ends.length &&
      (this.#keyEnds.at(-1) ?? 0) === this.#keys.length &&
      (this.#ends.at(-1) ?? 0) === this.#ordinals.length &&
      this.#ordinals.every((ordinal) => (ordinal & ~HEADING) >>> 0 < passages);
    if (!fits) {
      throw new PragauraError('INDEX_UNUSABLE', "The index's terms are damaged.", {
        hint: 'Build the index again with: pragaura index PATH... --out DIR',
      });
    }
  }

  #place(key: string): number {
    const wanted = Buffer.from(key);
    let low = 0;
    let high = this.#keyEnds.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const from = middle === 0 ? 0 : this.#keyEnds[middle - 1]!;
      const order = Buffer.compare(this.#keys.subarray(from, this.#keyEnds[middle]!), wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Ordinals under one of the term's keys: entries first, then headings, ascending in each. */
  find(term: string): { entries: number[]; headings: number[] } {
    const entries = new Set<number>();
    const headings = new Set<number>();
    for (const key of termKeys(term)) {
      const place = this.#place(key);
      if (place === -1) continue;
      for (let i = place === 0 ? 0 : this.#ends[place - 1]!; i < this.#ends[place]!; i += 1) {
        const ordinal = this.#ordinals[i]!;
        if (ordinal < HEADING) entries.add(ordinal);
        else headings.add(ordinal - HEADING);
      }
    }
    const ascending = (a: number, b: number) => a - b;
    return {
      entries: [...entries].sort(ascending),
      headings: [...headings].filter((ordinal) => !entries.has(ordinal)).sort(ascending),
    };
  }
}
