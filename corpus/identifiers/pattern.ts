/**
 * The forms that an owner of documents gives to identifiers. A pattern is read once, from left to right, and never goes
 * back: whoever writes one cannot make a text cost more than its length.
 */
import { fold } from './fold.ts';
import type { Shape } from './types.ts';

/** Characters of a pattern at most; what "#+" and "@+" take at most. */
const MOST_CHARS = 40;
const MOST_DIGITS = 17;
const MOST_LETTERS = 16;

type Element = { kind: 'digit' | 'letter'; most: number } | { kind: 'literal'; char: string; cases: string };

export interface Pattern {
  /** As it was written, dashes and spaces made plain. */
  text: string;
  elements: readonly Element[];
}

/**
 * Reads a pattern: "#" is a digit, "@" a letter, a "+" behind either means one or more, everything else stands for
 * itself whatever its case; "\" takes the next character as it is. Throws an Error that says what is wrong.
 */
export function readPattern(written: string): Pattern {
  const text = fold(written).text.trim();
  if (text.length > MOST_CHARS) throw new Error(`is longer than ${MOST_CHARS} characters`);
  const elements: Element[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const escaped = text[i] === '\\';
    if (escaped) i += 1;
    const char = text[i];
    if (char === undefined) throw new Error('ends with a "\\" that nothing follows');
    if (escaped || (char !== '#' && char !== '@')) {
      elements.push({ kind: 'literal', char, cases: char.toLowerCase() + char.toUpperCase() });
      continue;
    }
    const many = text[i + 1] === '+';
    if (many) i += 1;
    const [kind, most] =
      char === '#' ? (['digit', MOST_DIGITS] as const) : (['letter', MOST_LETTERS] as const);
    elements.push({ kind, most: many ? most : 1 });
  }
  elements.forEach((element, i) => {
    const next = elements[i + 1];
    if (element.kind === 'literal' || element.most === 1 || next === undefined) return;
    if (next.kind === element.kind || (next.kind === 'literal' && takes(element.kind, next.char, 0))) {
      throw new Error(`does not say where what "${element.kind === 'digit' ? '#' : '@'}+" takes ends`);
    }
  });
  if (!elements.some(({ kind }) => kind !== 'literal'))
    throw new Error('has no "#" and no "@": nothing in it varies');
  const digits = elements.some(
    (each) => each.kind === 'digit' || (each.kind === 'literal' && isDigit(each.char, 0)),
  );
  if (!digits) throw new Error('has no digit: words would be identifiers');
  if (elements.every((each) => each.kind === 'digit' || (each.kind === 'literal' && each.char === ' '))) {
    throw new Error('has digits only: every number would be an identifier');
  }
  return { text, elements };
}

/** Everything in a folded text that has the form of a pattern, in reading order; the first pattern that fits counts. */
export function scanPatterns(patterns: readonly Pattern[], text: string, at: (i: number) => number): Shape[] {
  const shapes: Shape[] = [];
  if (patterns.length === 0) return shapes;
  for (let i = 0; i < text.length; ) {
    const shape = beginsAt(text, i) ? firstFit(patterns, text, i, at) : null;
    if (shape !== null) shapes.push(shape.shape);
    i = shape?.end ?? i + 1;
  }
  return shapes;
}

function firstFit(
  patterns: readonly Pattern[],
  text: string,
  from: number,
  at: (i: number) => number,
): { shape: Shape; end: number } | null {
  for (const pattern of patterns) {
    const read = readAt(pattern.elements, text, from);
    if (read === null) continue;
    const { groups, written, padded, end } = read;
    const shape: Shape = {
      family: pattern.text,
      groups,
      joint: '-',
      kind: 'pattern',
      capitals: true,
      padded,
      range: false,
      written,
      start: at(from),
      end: at(end - 1) + 1,
    };
    return { shape, end };
  }
  return null;
}

/** What a pattern takes from `from` on; null where it does not fit or the text goes on in the same word or number. */
function readAt(
  elements: readonly Element[],
  text: string,
  from: number,
): { groups: string[]; written: string; padded: boolean; end: number } | null {
  const groups: string[] = [];
  let written = '';
  let end = from;
  let before: Element['kind'] = 'literal';
  for (const element of elements) {
    if (element.kind === 'literal') {
      if (end >= text.length || !element.cases.includes(text[end]!)) return null;
      written += element.char;
      end += 1;
    } else {
      const start = end;
      while (end - start < element.most && takes(element.kind, text, end)) end += 1;
      if (end === start || (element.most > 1 && takes(element.kind, text, end))) return null;
      const taken = text.slice(start, end).toUpperCase();
      if (before === element.kind) groups[groups.length - 1] += taken;
      else groups.push(taken);
      written += taken;
    }
    before = element.kind;
  }
  if (!endsAt(text, end)) return null;
  const plain = groups.map((group) => group.replace(/^0+(?=\d)/, ''));
  return { groups: plain, written, padded: plain.some((group, i) => group !== groups[i]), end };
}

function takes(kind: 'digit' | 'letter', text: string, at: number): boolean {
  return kind === 'digit' ? isDigit(text, at) : isLetter(text, at);
}

/** "2024-1" does not begin within "INV-2024-1" or "12.2024-1", but behind "No.". */
function beginsAt(text: string, i: number): boolean {
  if (!isDigit(text, i)) return !isLetter(text, i) || !(isLetter(text, i - 1) || isDigit(text, i - 1));
  if (isLetter(text, i - 1) || isDigit(text, i - 1)) return false;
  const joint = text[i - 1] ?? ' ';
  return !(
    '-_./'.includes(joint) &&
    (isDigit(text, i - 2) || ('-_'.includes(joint) && isLetter(text, i - 2)))
  );
}

/** "INV-2024-1" does not end within "INV-2024-15" or "INV-2024-1-7", but before "-draft" and ".pdf". */
function endsAt(text: string, end: number): boolean {
  const last = end - 1;
  if (!isDigit(text, last)) return !isLetter(text, last) || !(isLetter(text, end) || isDigit(text, end));
  if (isLetter(text, end) || isDigit(text, end)) return false;
  return !('-_./'.includes(text[end] ?? ' ') && isDigit(text, end + 1));
}

const LETTER = /\p{L}/u;

export function isDigit(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  return code >= 48 && code <= 57;
}

export function isLetter(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  if (code < 0x80) return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return code >= 0x80 && LETTER.test(text[i]!);
}
