import { createRequire } from 'node:module';

/** Longest term in UTF-16 units. Longer words keep their first units, longer compounds only their parts. */
export const MAX_TERM = 64;

const SEPARATOR = 1;
const LETTER = 2;
const DIGIT = 3;
/** Scripts written without spaces: indexed as single characters and pairs of neighbours. */
const UNSPACED = 4;
const PICTOGRAPH = 5;

const IS_UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const IS_LETTER = /^[\p{L}\p{M}]$/u;
const IS_DIGIT = /^\p{N}$/u;
const IS_PICTOGRAPH = /^[\p{Extended_Pictographic}\p{Regional_Indicator}]$/u;

function classify(codePoint: number): number {
  const char = String.fromCodePoint(codePoint);
  if (IS_DIGIT.test(char)) return DIGIT;
  if (IS_UNSPACED.test(char)) return UNSPACED;
  if (IS_LETTER.test(char)) return LETTER;
  return IS_PICTOGRAPH.test(char) ? PICTOGRAPH : SEPARATOR;
}

/** Class of each code unit of the basic plane, filled when first met. */
const classes = new Uint8Array(0x10000);

function classOf(codePoint: number): number {
  if (codePoint >= 0x10000) return classify(codePoint);
  let known = classes[codePoint]!;
  if (known === 0) {
    known = classify(codePoint);
    classes[codePoint] = known;
  }
  return known;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const NOT_ASCII = /[^\x00-\x7f]/;
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]+/gu;
/** Sorting a long run of combining marks is quadratic inside String.normalize; real text has at most a few. */
const MARK_RUN = /([\p{M}\uff9e\uff9f]{4})[\p{M}\uff9e\uff9f]+/gu;
const ACCENTS = /[\u0300-\u036f]+/g;
const LIGATURES: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
};
const LIGATURE = /[ßæœøłđð]/g;

/** Lower case, compatibility forms unified (NFKC), accents and invisible characters removed. */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text
    .replace(INVISIBLE, '')
    .replace(MARK_RUN, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(LIGATURE, (char) => LIGATURES[char]!)
    .replaceAll('’', "'");
}

const HYPHEN = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const UNDERSCORE = 0x5f;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const PLUS = 0x2b;
const HASH = 0x23;

function isJoiner(unit: number): boolean {
  return (
    unit === HYPHEN ||
    unit === DOT ||
    unit === SLASH ||
    unit === COLON ||
    unit === UNDERSCORE ||
    unit === APOSTROPHE
  );
}

function isWord(kind: number): boolean {
  return kind === LETTER || kind === DIGIT;
}

/** End of the run of letters and digits that starts at `start`. */
function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const codePoint = text.codePointAt(at)!;
    if (!isWord(classOf(codePoint))) break;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return at;
}

function wordStartsAt(text: string, at: number): boolean {
  return at < text.length && isWord(classOf(text.codePointAt(at)!));
}

/** `1,234,567` from `start`: the offset after the last group, or `end` when there are none. */
function thousandsEnd(text: string, start: number, end: number): number {
  if (end - start > 3) return end;
  for (let at = start; at < end; at++) if ((text.charCodeAt(at) - 0x30) >>> 0 > 9) return end;
  let at = end;
  while (text.charCodeAt(at) === COMMA) {
    for (let digit = 1; digit <= 3; digit++) if ((text.charCodeAt(at + digit) - 0x30) >>> 0 > 9) return at;
    if (wordStartsAt(text, at + 4)) return at;
    at += 4;
  }
  return at;
}

/** Takes a term, the folded word that it stands for, and whether it only combines terms emitted beside it. */
export type Emit = (term: string, word: string, combined: boolean) => void;

function emitWord(word: string, emit: Emit): void {
  const bounded = word.length > MAX_TERM ? word.slice(0, MAX_TERM) : word;
  emit(stem(bounded), bounded, false);
}

function emitCombined(term: string, emit: Emit): void {
  emit(term, term, true);
}

/** Emits the terms of the compound word at `start` and returns where it ends. */
function scanCompound(text: string, start: number, emit: Emit): number {
  let end = wordEnd(text, start);
  const grouped = thousandsEnd(text, start, end);
  if (grouped > end) {
    emitWord(text.slice(start, grouped).replaceAll(',', ''), emit);
    return grouped;
  }
  const parts: string[] = [text.slice(start, end)];
  let dotted = true;
  while (isJoiner(text.charCodeAt(end)) && wordStartsAt(text, end + 1)) {
    const joiner = text.charCodeAt(end);
    const from = end + 1;
    end = wordEnd(text, from);
    const part = text.slice(from, end);
    if (joiner === APOSTROPHE && part === 's') continue;
    dotted &&= joiner === DOT && part.length === 1;
    parts.push(part);
  }
  if (parts.length === 1) {
    emitWord(parts[0]!, emit);
    return scanSuffix(text, start, end, emit);
  }
  const whole = text.slice(start, end);
  if (dotted && parts[0]!.length === 1 && !/\d/.test(whole) && parts.length <= MAX_TERM) {
    emitWord(parts.join(''), emit);
    return end;
  }
  for (const part of parts) emitWord(part, emit);
  if (whole.length <= MAX_TERM && /\p{N}/u.test(whole)) emitCombined(whole, emit);
  return end;
}

/** `c++`, `c#`, `f#`: one or two letters followed by the sign. */
function scanSuffix(text: string, start: number, end: number, emit: Emit): number {
  if (end - start > 2) return end;
  const next = text.charCodeAt(end);
  const length = next === HASH ? 1 : next === PLUS && text.charCodeAt(end + 1) === PLUS ? 2 : 0;
  if (length === 0 || wordStartsAt(text, end + length)) return end;
  emitCombined(text.slice(start, end + length), emit);
  return end + length;
}

/**
 * The terms of a text, in order, repeats kept. Words are folded and stemmed; a compound that holds a digit
 * (`ADR-0012`, `12.3`) yields its parts and itself; `U.S.` yields `us`; `1,234` yields `1234`; scripts without
 * spaces yield characters and pairs; an emoji is a term. Time is linear in the text.
 */
export function scanTerms(text: string, emit: Emit): void {
  const folded = fold(text);
  let at = 0;
  while (at < folded.length) {
    const codePoint = folded.codePointAt(at)!;
    const size = codePoint > 0xffff ? 2 : 1;
    const kind = classOf(codePoint);
    if (isWord(kind)) {
      at = scanCompound(folded, at, emit);
      continue;
    }
    if (kind === UNSPACED) {
      emitWord(folded.slice(at, at + size), emit);
      const next = folded.codePointAt(at + size);
      if (next !== undefined && classOf(next) === UNSPACED) {
        emitCombined(folded.slice(at, at + size + (next > 0xffff ? 2 : 1)), emit);
      }
    } else if (kind === PICTOGRAPH) emitWord(folded.slice(at, at + size), emit);
    at += size;
  }
}

/** {@link scanTerms} as a list. */
export function analyse(text: string): string[] {
  const terms: string[] = [];
  scanTerms(text, (term) => terms.push(term));
  return terms;
}

/** natural's Porter stemmer, loaded by its own file: the package's front door prints and connects to databases. */
const porter = createRequire(import.meta.url)('natural/lib/natural/stemmers/porter_stemmer.js') as {
  stem(word: string): string;
};

const STEMMABLE = /^[a-z]{3,24}$/;
const CACHE_LIMIT = 200_000;
const cache = new Map<string, string>();

/** Stem of an English word of 3 to 24 letters; every other term (numbers, identifiers, other scripts) as it is. */
function stem(term: string): string {
  const known = cache.get(term);
  if (known !== undefined) return known;
  const stemmed = STEMMABLE.test(term) ? porter.stem(term) : term;
  if (cache.size >= CACHE_LIMIT) cache.clear();
  cache.set(term, stemmed);
  return stemmed;
}
