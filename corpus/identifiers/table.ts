import { PragauraError } from '../../common/index.ts';
import type { SegmentSource } from '../types.ts';
import { asInProse, digitsIn, HEADER, IDENTIFIERS_SEGMENT, unmistakable } from './build.ts';
import { type DeclaredIdentifiers, declarationIn, patternsOf, spellingsOf } from './declared.ts';
import { editDistance, numberingDistance } from './nearest.ts';
import type { Pattern } from './pattern.ts';
import { datedWord, keyOf, scan, yearLike } from './scan.ts';
import type { Identifier, IdentifierTable, Shape } from './types.ts';
import { FULL_VERSION, NO_FAMILY, WELL_KNOWN } from './vocabulary.ts';

interface Entry {
  groups: string[];
  display: string;
  passages: number;
}

/**
 * Members of one family. `strong`: three or more whose number could not be a year. `filled`: one is written with a
 * hyphen and leading zeros ("E-03"), as codes are and aircraft are not. `hyphened`: one is with a hyphen.
 */
interface Family {
  entries: Entry[];
  strong: boolean;
  filled: boolean;
  hyphened: boolean;
}

/** Reads what `buildIdentifiers` wrote. Throws INDEX_UNUSABLE when a block is not in that form. */
export function loadIdentifiers(source: SegmentSource): IdentifierTable {
  const declared = declarationIn(source);
  const lines = decode(source.segment(IDENTIFIERS_SEGMENT)).split('\n');
  if (lines[0] !== HEADER) throw unusable('it does not begin with the expected header');
  const families = new Map<string, Family>();
  const byKey = new Map<string, Entry>();
  for (const line of lines.slice(1)) {
    const [name, numbers, display, passages, ...rest] = line.split('\t');
    const count = Number(passages);
    if (!name || !numbers || !display || rest.length > 0 || !Number.isInteger(count) || count < 1) {
      throw unusable('one of its lines cannot be read');
    }
    const entry = { groups: numbers.split('.'), display, passages: count };
    const family = families.get(name) ?? { entries: [], strong: false, filled: false, hyphened: false };
    family.entries.push(entry);
    families.set(name, family);
    byKey.set(keyOf(name, entry.groups), entry);
  }
  for (const family of families.values()) {
    family.strong = family.entries.filter((entry) => !yearLike(entry.groups)).length >= 3;
    family.filled = family.entries.some((entry) => /-0\d/.test(entry.display));
    family.hyphened = family.entries.some((entry) => /-\d/.test(entry.display));
  }
  return new Table(families, byKey, declared);
}

class Table implements IdentifierTable {
  readonly #families: ReadonlyMap<string, Family>;
  readonly #byKey: ReadonlyMap<string, Entry>;
  readonly #patterns: readonly Pattern[];
  /** Declared families as their owner spells them. */
  readonly #spellings: ReadonlyMap<string, string>;
  readonly declared: IdentifierTable['declared'];

  constructor(
    families: ReadonlyMap<string, Family>,
    byKey: ReadonlyMap<string, Entry>,
    declared: DeclaredIdentifiers,
  ) {
    this.#families = families;
    this.#byKey = byKey;
    this.#patterns = patternsOf(declared);
    this.#spellings = spellingsOf(declared);
    const names = [...this.#spellings, ...declared.patterns.map((text) => [text, text] as const)];
    this.declared = names.map(([family, name]) => ({
      name,
      members: families.get(family)?.entries.length ?? 0,
    }));
  }

  get size(): number {
    return this.#byKey.size;
  }

  extract(text: string): Identifier[] {
    const found = new Map<string, Identifier>();
    for (const shape of withoutOverlaps(scan(text, this.#patterns))) {
      if (shape.kind !== 'pattern' && !this.#isIdentifier(shape)) continue;
      const numberings = shape.range ? shape.groups.map((group) => [group]) : [shape.groups];
      for (const groups of numberings) {
        const key = keyOf(shape.family, groups);
        if (found.has(key)) continue;
        const id = this.#spell(shape, groups, this.#byKey.get(key));
        found.set(key, { id, family: shape.family, start: shape.start, end: shape.end });
      }
    }
    return [...found.values()];
  }

  has(id: string): boolean {
    return this.count(id) > 0;
  }

  count(id: string): number {
    const [shape] = scan(id, this.#patterns);
    if (shape === undefined) return 0;
    return this.#byKey.get(keyOf(shape.family, shape.groups))?.passages ?? 0;
  }

  nearest(id: string, n: number): string[] {
    const [shape] = scan(id, this.#patterns);
    if (shape === undefined) return [];
    const same = this.#families.get(shape.family);
    const entries = same === undefined ? this.#misspelt(shape) : same.entries;
    return entries
      .filter((entry) => shape.family !== FULL_VERSION || entry.display.startsWith('version'))
      .filter((entry) => entry.groups.join('.') !== shape.groups.join('.') || same === undefined)
      .map((entry) => ({ entry, distance: numberingDistance(shape.groups, entry.groups) }))
      .sort(
        (a, b) =>
          a.distance[0] - b.distance[0] ||
          a.distance[1] - b.distance[1] ||
          (a.entry.display < b.entry.display ? -1 : 1),
      )
      .slice(0, n)
      .map(({ entry }) => entry.display);
  }

  /** Members of families one slip away: RFD-12 for RFC-12. */
  #misspelt(shape: Shape): Entry[] {
    const entries: Entry[] = [];
    for (const [name, family] of this.#families) {
      if (shape.family.length > 1 && editDistance(shape.family, name, 1) <= 1)
        entries.push(...family.entries);
    }
    return entries;
  }

  /** An identifier as the corpus writes it; one that the corpus lacks in the way in which it writes the family. */
  #spell(shape: Shape, groups: readonly string[], entry: Entry | undefined): string {
    const like = this.#families.get(shape.family)?.entries[0];
    if (shape.family === FULL_VERSION) return `version ${groups.join('.')}`;
    if (entry !== undefined) return entry.display;
    if (shape.kind === 'pattern') return shape.written;
    if (shape.kind === 'word')
      return shape.family === '#' ? `#${groups.join('.')}` : `${shape.family} ${groups.join('.')}`;
    const name = this.#spellings.get(shape.family) ?? shape.family;
    const written = shape.range ? groups[0]! : shape.written;
    const model = like === undefined ? null : /^([^\d]*?)([- ]?)(\d+)$/.exec(like.display);
    if (model === null || groups.length > 1) return `${name}${shape.joint}${written}`;
    const width = model[3]!.startsWith('0') ? model[3]!.length : 0;
    return `${name}${model[2]}${groups[0]!.padStart(width, '0')}`;
  }

  /** Whether a shape in a query is to be believed. */
  #isIdentifier(shape: Shape): boolean {
    if (this.#spellings.has(shape.family)) return !asInProse(shape);
    return isIdentifier(shape, this.#families.get(shape.family));
  }
}

/** Shapes without those that share a stretch with what a pattern took. */
function withoutOverlaps(shapes: readonly Shape[]): Shape[] {
  const taken = shapes.filter(({ kind }) => kind === 'pattern');
  let next = 0;
  return shapes.filter((shape) => {
    if (shape.kind === 'pattern') return true;
    while (next < taken.length && taken[next]!.end <= shape.start) next += 1;
    return next === taken.length || taken[next]!.start >= shape.end;
  });
}

/** Whether a shape that nobody declared is to be believed; `family` is what the corpus knows of its family. */
function isIdentifier(shape: Shape, family: Family | undefined): boolean {
  if (shape.kind === 'word') return family !== undefined;
  if (NO_FAMILY.has(shape.family)) return false;
  if (unmistakable(shape)) return true;
  if (WELL_KNOWN.has(shape.family)) return shape.joint !== ' ' || shape.family !== 'PEP' || shape.capitals;
  if (family === undefined) return false;
  if (shape.family.length === 1) {
    const short = digitsIn(shape) < 3 && !(shape.joint === '-' && family.filled);
    if (shape.joint === ' ' || short) return false;
  }
  if (datedWord(shape) && !family.strong) return false;
  if (shape.joint !== ' ') return true;
  return shape.capitals ? family.hyphened || digitsIn(shape) > 1 : family.strong && digitsIn(shape) > 1;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unusable('it is not UTF-8', cause);
  }
}

function unusable(why: string, cause?: unknown): PragauraError {
  return new PragauraError('INDEX_UNUSABLE', `The index's list of identifiers is damaged: ${why}.`, {
    hint: 'Build the index again with: pragaura index PATH... --out DIR',
    cause,
  });
}
