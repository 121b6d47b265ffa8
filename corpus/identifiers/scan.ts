import { fold } from './fold.ts';
import { isDigit, isLetter, type Pattern, scanPatterns } from './pattern.ts';
import type { Shape } from './types.ts';
import { FULL_VERSION, numeral, VERSIONED, WORD_FAMILIES } from './vocabulary.ts';

/** A version with two dots, as against "version 2". */
const FULL = /^\d{1,6}\.\d{1,6}\.\d{1,6}[a-z]?$/i;
const MAX_FAMILY = 16;
const MAX_GROUPS = 6;
const MAX_DIGITS = 17;

/** Key under which an identifier is known, however it was written: "adr 12" and "ADR-0012" have the same. */
export function keyOf(family: string, groups: readonly string[]): string {
  return `${family} ${groups.join('.')}`;
}

/** True when the only number could be a year. */
export function yearLike(groups: readonly string[]): boolean {
  const [only] = groups;
  return groups.length === 1 && /^(1[0-9]|20)\d\d$/.test(only!);
}

/** A year behind a word ("post-1990", "UEFA 1992"), as against the number in E1001. */
export function datedWord(shape: Shape): boolean {
  return shape.joint !== '' && yearLike(shape.groups);
}

/**
 * Everything in `original` with the shape of an identifier, in reading order; what a pattern takes is read as a code as
 * well, and stands before that. Time linear in its length.
 */
export function scan(original: string, patterns: readonly Pattern[] = []): Shape[] {
  const { text, at } = fold(original);
  const declared = scanPatterns(patterns, text, at);
  const variants = scanVariants(text, at);
  const shapes = scanNumbers(text, at);
  if (declared.length + variants.length === 0) return shapes;
  return [...declared, ...variants, ...shapes].sort((a, b) => a.start - b.start);
}

function scanNumbers(text: string, at: (i: number) => number): Shape[] {
  const shapes: Shape[] = [];
  for (let i = 0; i < text.length; ) {
    const number = isDigit(text, i) ? readNumber(text, i) : isLetter(text, i) ? readNumeral(text, i) : null;
    if (number === null) {
      i += 1;
      continue;
    }
    const family = number.ok ? readFamily(text, i, number.spelled) : null;
    if (family !== null) {
      const { name, joint, word, capitals, from } = family;
      const { groups, padded, written, range } = number;
      const full = VERSIONED.has(name) && FULL.test(written);
      shapes.push({
        family: full ? FULL_VERSION : name,
        groups,
        joint,
        kind: word || full ? 'word' : 'code',
        capitals,
        padded,
        range: range && (joint === ' ' || word),
        written,
        start: at(from),
        end: at(number.end - 1) + 1,
      });
    }
    i = number.end;
  }
  return shapes;
}

const NUMERAL_INITIALS = new Set('otfsenOTFSENIVXL');

interface NumberRead {
  ok: boolean;
  groups: string[];
  padded: boolean;
  written: string;
  range: boolean;
  spelled: boolean;
  end: number;
}

/** Digits with "-", "." or "/" between groups and at most one letter behind; starts at a digit. */
function readNumber(text: string, from: number): NumberRead {
  const groups: string[] = [];
  let ok = true;
  let padded = false;
  let end = from;
  let last = '';
  while (isDigit(text, end)) {
    const start = end;
    while (isDigit(text, end)) end += 1;
    const digits = text.slice(start, Math.min(end, start + MAX_DIGITS + 1));
    if (digits.length > MAX_DIGITS || groups.length === MAX_GROUPS) ok = false;
    if (ok) groups.push(digits.replace(/^0+(?=\d)/, ''));
    if (digits.length > 1 && digits[0] === '0') padded = true;
    if (!'-./'.includes(text[end] ?? ' ') || !isDigit(text, end + 1)) break;
    last = text[end]!;
    end += 1;
  }
  const range = groups.length === 2 && last === '-' && !padded && Number(groups[1]) > Number(groups[0]) && ok;
  if (isLetter(text, end)) {
    const suffix = text[end]!;
    if (isLetter(text, end + 1) || isDigit(text, end + 1)) ok = false;
    else if (ok && suffix !== 's') groups[groups.length - 1] += suffix.toLowerCase();
    end += 1;
    while (isLetter(text, end) || isDigit(text, end)) end += 1;
  }
  const written = ok ? text.slice(from, end) : '';
  return { ok, groups, padded, written, range, spelled: false, end };
}

/** A number in words or Roman numerals; starts anywhere, reads only at the start of a word behind a space. */
function readNumeral(text: string, from: number): NumberRead | null {
  if (text[from - 1] !== ' ' || !NUMERAL_INITIALS.has(text[from]!)) return null;
  let end = from;
  while (end - from <= 8 && isLetter(text, end)) end += 1;
  const value = end - from <= 8 && !isDigit(text, end) ? numeral(text.slice(from, end)) : null;
  if (value === null) return null;
  return { ok: true, groups: [value], padded: false, written: value, range: false, spelled: true, end };
}

interface FamilyRead {
  name: string;
  joint: Shape['joint'];
  word: boolean;
  capitals: boolean;
  from: number;
}

/** What stands before the number that starts at `at`; looks back a bounded way. */
function readFamily(text: string, at: number, spelled: boolean): FamilyRead | null {
  let i = at - 1;
  let joint: Shape['joint'] = '';
  let hash = -1;
  for (let steps = 0; steps < 4 && i >= 0 && ' -_/#.'.includes(text[i]!); steps += 1, i -= 1) {
    const char = text[i]!;
    if (char === '#') {
      joint = '#';
      hash = i;
    } else if (char === '.') {
      if (joint !== ' ') return null;
    } else if (char === ' ') {
      if (joint === '-') return null;
      if (joint === '') joint = ' ';
    } else {
      if (joint !== '') return null;
      joint = '-';
    }
  }
  if (text[i] === '§') return { name: 'section', joint: ' ', word: true, capitals: false, from: i };
  const to = i + 1;
  while (to - i <= MAX_FAMILY && isLetter(text, i)) i -= 1;
  const letters = text.slice(i + 1, to);
  const bounded =
    letters.length > 0 && letters.length <= MAX_FAMILY && !isLetter(text, i) && !isDigit(text, i);
  const word = bounded ? WORD_FAMILIES.get(letters.toLowerCase()) : undefined;
  if (word !== undefined && joint !== '') {
    return { name: word, joint, word: true, capitals: false, from: i + 1 };
  }
  if (spelled) return null;
  if (bounded && /^no$/i.test(letters) && joint === ' ') return readFamily(text, i + 1, spelled);
  if (bounded && /^v$/i.test(letters) && joint !== '#') {
    return { name: 'version', joint: '-', word: true, capitals: false, from: i + 1 };
  }
  if (hash >= 0) return { name: '#', joint: '#', word: true, capitals: false, from: hash };
  if (!bounded || text[to] === '.' || !/^[A-Za-z]+$/.test(letters)) return null;
  const { name, from } = widen(text, i + 1, letters);
  return { name: name.toUpperCase(), joint, word: false, capitals: name === name.toUpperCase(), from };
}

/** "PROJ-API-12" is of the family PROJ-API, "ISO/IEC 27001" of ISO. */
function widen(text: string, from: number, letters: string): { name: string; from: number } {
  const mark = text[from - 1];
  if ((mark !== '-' && mark !== '_' && mark !== '/') || letters !== letters.toUpperCase()) {
    return { name: letters, from };
  }
  let i = from - 2;
  while (from - 2 - i < MAX_FAMILY && /[A-Z]/.test(text[i] ?? '')) i -= 1;
  const before = text.slice(i + 1, from - 1);
  if (before.length < 2 || isLetter(text, i) || isDigit(text, i)) return { name: letters, from };
  return { name: mark === '/' ? before : `${before}-${letters}`, from: i + 1 };
}

/** A part with letters and digits, then "-" and capitals: "K2-WHT", "AB-120-XL". Bounded, so that it stays linear. */
const VARIANT = /(?<![A-Za-z0-9_/-])((?:[A-Z0-9]{1,12}-){1,3})([A-Z]{2,8}[0-9]{0,4})(?![A-Za-z0-9_/-])/g;

/**
 * Variants of one article: the family is what they share, "K2" in "K2-WHT", and must hold a letter and a digit, or it
 * is an abbreviation. `at`: offset in the original of a character of `text`.
 */
function scanVariants(text: string, at: (i: number) => number): Shape[] {
  const shapes: Shape[] = [];
  for (const { 0: all, 1: shared, 2: written, index } of text.matchAll(VARIANT)) {
    const family = shared!.slice(0, -1);
    if (!/[A-Z]/.test(family) || !/[0-9]/.test(family)) continue;
    shapes.push({
      family,
      groups: [written!],
      joint: '-',
      kind: 'code',
      capitals: true,
      padded: false,
      range: false,
      written: written!,
      start: at(index),
      end: at(index + all.length - 1) + 1,
    });
  }
  return shapes;
}
