import type { Passage } from '../passages/passage.ts';
import type { Segments } from '../types.ts';
import {
  DECLARED_SEGMENT,
  type DeclaredIdentifiers,
  declarationBlock,
  NOTHING_DECLARED,
  patternsOf,
  spellingsOf,
} from './declared.ts';
import { bareVersions, numberingOf } from './headings.ts';
import { datedWord, scan, yearLike } from './scan.ts';
import type { Shape } from './types.ts';
import { FULL_VERSION, HEADING_FAMILIES, NO_FAMILY, PUBLIC, WELL_KNOWN } from './vocabulary.ts';

/** Name of the block in the index folder. */
export const IDENTIFIERS_SEGMENT = 'identifiers';

/** First line of the block. */
export const HEADER = 'pragaura.identifiers/1';

/** Longest range that is spelled out: "sections 3 to 9" names seven. */
const MAX_RANGE = 200;

/** Where a passage names something. */
interface Place {
  ordinal: number;
  /** What stands in a heading or in a table is called so; a sentence may only mention it, and a file name is no text. */
  kind: 'heading' | 'table' | 'prose' | 'file';
  /** No other mark stands in it than hyphens, dots and spaces: "OS/2" and "BR_1" are something else. */
  hyphen: boolean;
}

interface Entry {
  display: string;
  rank: number;
  passages: number;
  lastSeen: number;
}

interface Family {
  kind: Shape['kind'];
  entries: Map<string, Entry>;
  /** Different identifiers in a form that is rarely anything else. */
  strict: Set<string>;
  unmistakable: boolean;
  /** A strict one like BR-1 (two letters or more, a hyphen, a number) stands in a heading or a table. */
  named: boolean;
  /** Passages whose prose holds such a one, as many as `believed` asks for. */
  told: Set<number>;
}

/**
 * The identifiers that the passages name, as one block of UTF-8 lines `family TAB numbers TAB display TAB passages`,
 * sorted, and what was declared in another. Kept are families that are believed, see `believed`.
 */
export function buildIdentifiers(
  passages: readonly Passage[],
  declared: DeclaredIdentifiers = NOTHING_DECLARED,
): Segments {
  const families = new Map<string, Family>();
  const patterns = patternsOf(declared);
  const spellings = spellingsOf(declared);
  passages.forEach((passage, ordinal) => {
    const headings = passage.title.split(' > ');
    for (const heading of headings) addHeading(families, heading, ordinal);
    const file = passage.source.slice(
      Math.max(passage.source.lastIndexOf('/'), passage.source.lastIndexOf('\\')) + 1,
    );
    const texts: [string, Place['kind']][] = [
      ...headings.map((heading): [string, Place['kind']] => [heading, 'heading']),
      [passage.text, passage.genre === 'table' ? 'table' : 'prose'],
      [passage.docId, 'file'],
      [file, 'file'],
    ];
    for (const [text, kind] of texts) {
      for (const shape of scan(text, patterns)) {
        if (spellings.has(shape.family) ? asInProse(shape) : NO_FAMILY.has(shape.family)) continue;
        const place = { ordinal, kind, hyphen: !/[_/]/.test(text.slice(shape.start, shape.end)) };
        add(families, shape, place, spellings.get(shape.family));
        if (shape.family === FULL_VERSION) add(families, { ...shape, family: 'version' }, place);
      }
      addBareVersions(families, text, ordinal);
    }
  });
  const lines: string[] = [];
  for (const [name, family] of families) {
    if (!spellings.has(name) && !believed(name, family)) continue;
    for (const [numbers, entry] of family.entries) {
      lines.push(`${name}\t${numbers}\t${entry.display}\t${entry.passages}`);
    }
  }
  lines.sort((a, b) => (a < b ? -1 : 1));
  return {
    [IDENTIFIERS_SEGMENT]: new TextEncoder().encode([HEADER, ...lines].join('\n')),
    [DECLARED_SEGMENT]: declarationBlock(declared),
  };
}

/** A code of two letters or more that no prose writes by chance: leading zeros, or several groups (INV-2024-001). */
export function unmistakable(shape: Shape): boolean {
  if (shape.kind !== 'code' || shape.joint !== '-' || shape.family.length < 2) return false;
  if (NO_FAMILY.has(shape.family)) return false;
  return shape.padded || (shape.groups.length > 1 && !shape.groups.every((group) => yearLike([group])));
}

/** "a 12" and "in 12" are prose, whatever somebody declares. */
export function asInProse({ family, joint }: Shape): boolean {
  return joint === ' ' && (family.length === 1 || NO_FAMILY.has(family));
}

/**
 * Whether the documents number things by a family of themselves: a pattern or a well-known code, one written
 * unmistakably, a code with two members in capitals, a word with three ("section 1", "section 2", "section 4"), or a
 * code with one that they use as a name ("Barometer BR-1" in a heading), unless the world uses it so (UTF-8).
 */
function believed(name: string, family: Family): boolean {
  if (family.kind === 'pattern' || WELL_KNOWN.has(name) || family.unmistakable) return true;
  if (name === FULL_VERSION) return family.strict.size > 0;
  if (family.kind === 'word') return family.strict.size >= 3;
  if (family.strict.size !== 1 || PUBLIC.has(name)) return family.strict.size > 1;
  return family.named || family.told.size > 1;
}

function add(
  families: Map<string, Family>,
  shape: Shape,
  { ordinal, kind, hyphen }: Place,
  spelled = shape.family,
): void {
  const word = shape.kind === 'word';
  const joint = word ? (shape.joint === '#' ? ' #' : ' ') : shape.joint;
  const full = shape.family === FULL_VERSION;
  const name = shape.family === '#' ? '' : full ? 'version' : spelled;
  const mark = shape.family === '#' ? '#' : joint;
  const before = shape.kind === 'pattern' ? '' : `${name}${mark}`;
  const strict =
    shape.kind !== 'code' ||
    (shape.capitals && !datedWord(shape) && (shape.joint !== ' ' || digitsIn(shape) > 1));
  const rank = (shape.padded ? 4 : 0) + (shape.joint === '-' ? 2 : shape.joint === '' ? 1 : 0);
  const family = familyOf(families, shape.family, shape.kind);
  family.unmistakable ||= unmistakable(shape);
  if (strict && hyphen && shape.joint === '-' && shape.family.length > 1 && /^\d/.test(shape.groups[0]!)) {
    family.named ||= kind === 'heading' || kind === 'table';
    if (kind === 'prose' && family.told.size < 2) family.told.add(ordinal);
  }
  const record = (groups: readonly string[], written: string): void => {
    const numbers = groups.join('.');
    note(family, numbers, `${before}${written}`, rank, ordinal);
    if (strict) family.strict.add(numbers);
  };
  if (shape.range) {
    const [from, to] = shape.groups.map(Number) as [number, number];
    for (let n = from; n <= Math.min(to, from + MAX_RANGE); n += 1) record([String(n)], String(n));
  } else {
    record(shape.groups, shape.written);
  }
  if (word && !full && shape.groups.length > 1) {
    for (let n = 1; n < shape.groups.length; n += 1) {
      const above = shape.groups.slice(0, n);
      note(family, above.join('.'), `${before}${above.join('.')}`, -1, ordinal);
    }
  }
}

/**
 * "## 2.4.2", "Linux 2.4.2": nobody says that it is a version, but a query that says so names something that the
 * corpus has. Never offered as what may have been meant.
 */
function addBareVersions(families: Map<string, Family>, text: string, ordinal: number): void {
  for (const { written, groups } of bareVersions(text)) {
    note(familyOf(families, FULL_VERSION, 'word'), groups.join('.'), written, -1, ordinal);
  }
}

/** "12.3 Payment terms" and "4. Notices" number a section, which people also call chapter, article or clause. */
function addHeading(families: Map<string, Family>, heading: string, ordinal: number): void {
  const groups = numberingOf(heading);
  if (groups === null) return;
  for (const name of HEADING_FAMILIES) {
    const family = familyOf(families, name, 'word');
    for (let n = 1; n <= groups.length; n += 1) {
      const numbers = groups.slice(0, n).join('.');
      note(family, numbers, `${name} ${numbers}`, -1, ordinal);
      if (name === 'section') family.strict.add(numbers);
    }
  }
}

function familyOf(families: Map<string, Family>, name: string, kind: Shape['kind']): Family {
  let family = families.get(name);
  if (family === undefined) {
    family = {
      kind,
      entries: new Map(),
      strict: new Set(),
      unmistakable: false,
      named: false,
      told: new Set(),
    };
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
