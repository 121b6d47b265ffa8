import type { Passage } from '../../contracts.ts';
import type { Segments } from '../types.ts';
import { bareVersions, numberingOf } from './headings.ts';
import { datedWord, scan, yearLike } from './scan.ts';
import type { Shape } from './types.ts';
import { FULL_VERSION, HEADING_FAMILIES, NO_FAMILY, WELL_KNOWN } from './vocabulary.ts';

/** Name of the block in the index folder. */
export const SEGMENT = 'identifiers';

/** First line of the block. */
export const HEADER = 'pragaura.identifiers/1';

/** Longest range that is spelled out: "sections 3 to 9" names seven. */
const MAX_RANGE = 200;

interface Entry {
  display: string;
  rank: number;
  passages: number;
  lastSeen: number;
}

interface Family {
  entries: Map<string, Entry>;
  /** Different identifiers in a form that is rarely anything else. */
  strict: Set<string>;
  unmistakable: boolean;
  word: boolean;
}

/**
 * The identifiers that the passages name, as one block of UTF-8 lines `family TAB numbers TAB display TAB passages`,
 * sorted. Kept are families that are believed: a well-known code, one written unmistakably, a code with two members
 * in capitals or a word with three ("section 1", "section 2", "section 4").
 */
export function buildIdentifiers(passages: readonly Passage[]): Segments {
  const families = new Map<string, Family>();
  passages.forEach((passage, ordinal) => {
    const headings = passage.title.split(' > ');
    for (const heading of headings) addHeading(families, heading, ordinal);
    const file = passage.source.slice(
      Math.max(passage.source.lastIndexOf('/'), passage.source.lastIndexOf('\\')) + 1,
    );
    for (const text of [...headings, passage.text, passage.docId, file]) {
      for (const shape of scan(text)) {
        add(families, shape, ordinal);
        if (shape.family === FULL_VERSION) add(families, { ...shape, family: 'version' }, ordinal);
      }
      addBareVersions(families, text, ordinal);
    }
  });
  const lines: string[] = [];
  for (const [name, family] of families) {
    if (!believed(name, family)) continue;
    for (const [numbers, entry] of family.entries) {
      lines.push(`${name}\t${numbers}\t${entry.display}\t${entry.passages}`);
    }
  }
  lines.sort((a, b) => (a < b ? -1 : 1));
  return { [SEGMENT]: new TextEncoder().encode([HEADER, ...lines].join('\n')) };
}

/** A code of two letters or more that no prose writes by chance: leading zeros, or several groups (INV-2024-001). */
export function unmistakable(shape: Shape): boolean {
  if (shape.word || shape.joint !== '-' || shape.family.length < 2 || NO_FAMILY.has(shape.family))
    return false;
  return shape.padded || (shape.groups.length > 1 && !shape.groups.every((group) => yearLike([group])));
}

function believed(name: string, family: Family): boolean {
  if (WELL_KNOWN.has(name) || family.unmistakable) return true;
  if (name === FULL_VERSION) return family.strict.size > 0;
  return family.strict.size >= (family.word ? 3 : 2);
}

function add(families: Map<string, Family>, shape: Shape, ordinal: number): void {
  if (NO_FAMILY.has(shape.family)) return;
  const joint = shape.word ? (shape.joint === '#' ? ' #' : ' ') : shape.joint;
  const full = shape.family === FULL_VERSION;
  const name = shape.family === '#' ? '' : full ? 'version' : shape.family;
  const mark = shape.family === '#' ? '#' : joint;
  const strict =
    shape.word || (shape.capitals && !datedWord(shape) && (shape.joint !== ' ' || digitsIn(shape) > 1));
  const rank = (shape.padded ? 4 : 0) + (shape.joint === '-' ? 2 : shape.joint === '' ? 1 : 0);
  const family = familyOf(families, shape.family, shape.word);
  family.unmistakable ||= unmistakable(shape);
  const record = (groups: readonly string[], written: string): void => {
    const numbers = groups.join('.');
    note(family, numbers, `${name}${mark}${written}`, rank, ordinal);
    if (strict) family.strict.add(numbers);
  };
  if (shape.range) {
    const [from, to] = shape.groups.map(Number) as [number, number];
    for (let n = from; n <= Math.min(to, from + MAX_RANGE); n += 1) record([String(n)], String(n));
  } else {
    record(shape.groups, shape.written);
  }
  if (shape.word && !full && shape.groups.length > 1) {
    for (let n = 1; n < shape.groups.length; n += 1) {
      const above = shape.groups.slice(0, n);
      note(family, above.join('.'), `${name}${mark}${above.join('.')}`, -1, ordinal);
    }
  }
}

/**
 * "## 2.4.2", "Linux 2.4.2": nobody says that it is a version, but a query that says so names something that the
 * corpus has. Never offered as what may have been meant.
 */
function addBareVersions(families: Map<string, Family>, text: string, ordinal: number): void {
  for (const { written, groups } of bareVersions(text)) {
    note(familyOf(families, FULL_VERSION, true), groups.join('.'), written, -1, ordinal);
  }
}

/** "12.3 Payment terms" and "4. Notices" number a section, which people also call chapter, article or clause. */
function addHeading(families: Map<string, Family>, heading: string, ordinal: number): void {
  const groups = numberingOf(heading);
  if (groups === null) return;
  for (const name of HEADING_FAMILIES) {
    const family = familyOf(families, name, true);
    for (let n = 1; n <= groups.length; n += 1) {
      const numbers = groups.slice(0, n).join('.');
      note(family, numbers, `${name} ${numbers}`, -1, ordinal);
      if (name === 'section') family.strict.add(numbers);
    }
  }
}

function familyOf(families: Map<string, Family>, name: string, word: boolean): Family {
  let family = families.get(name);
  if (family === undefined) {
    family = { entries: new Map(), strict: new Set(), unmistakable: false, word };
    families.set(name, family);
  }
  return family;
}

function note(family: Family, numbers: string, display: string, rank: number, ordinal: number): void {
  const entry = family.entries.get(numbers);
  if (entry === undefined) {
    family.entries.set(numbers, { display, rank, passages: 1, lastSeen: ordinal });
    return;
  }
  if (entry.lastSeen !== ordinal) {
    entry.passages += 1;
    entry.lastSeen = ordinal;
  }
  if (rank > entry.rank || (rank === entry.rank && display < entry.display)) {
    entry.display = display;
    entry.rank = rank;
  }
}

export function digitsIn(shape: Shape): number {
  return shape.written.replace(/\D/g, '').length;
}
