/** What uncased BERT's normaliser makes of one code point, each answer computed once and kept. */

/** `DROP`: leaves no trace. `MARK`: an accent, belongs to the letter before it. `ALONE`: a word of its own. */
export const DROP = 0;
export const MARK = 1;
export const SPACE = 2;
export const ALONE = 3;
export const LETTER = 4;

export interface Unit {
  kind: typeof SPACE | typeof ALONE | typeof LETTER;
  text: string;
}

/** `units` is empty for DROP and MARK, otherwise what stands in the character's place, in order. */
export interface Normalised {
  kind: number;
  units: readonly Unit[];
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const NONSPACING = /\p{Mn}/u;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/u;
const WHITE = /[\p{White_Space}]/u;

/** CJK ideographs, which are words of their own; ranges of the reference implementation. */
function isIdeograph(code: number): boolean {
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x20000 && code <= 0x2a6df) ||
    (code >= 0x2a700 && code <= 0x2b73f) ||
    (code >= 0x2b740 && code <= 0x2b81f) ||
    (code >= 0x2b920 && code <= 0x2ceaf) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x2f800 && code <= 0x2fa1f)
  );
}

const NOTHING: Normalised = { kind: DROP, units: [] };
const ACCENT: Normalised = { kind: MARK, units: [] };

function compute(code: number): Normalised {
  const char = String.fromCodePoint(code);
  const isBreak = char === '\t' || char === '\n' || char === '\r';
  if (code === 0 || code === 0xfffd || (!isBreak && CONTROL.test(char))) return NOTHING;
  if (WHITE.test(char)) return { kind: SPACE, units: [{ kind: SPACE, text: ' ' }] };
  const ideograph = isIdeograph(code);
  const units: Unit[] = [];
  for (const part of char.normalize('NFD')) {
    if (NONSPACING.test(part)) continue;
    for (const lower of part.toLowerCase()) {
      if (NONSPACING.test(lower) && lower !== part) {
        // Lower-casing comes after the accents are gone: what it adds stays.
        units.push({ kind: LETTER, text: lower });
      } else if (WHITE.test(lower)) units.push({ kind: SPACE, text: ' ' });
      else units.push({ kind: ideograph || PUNCTUATION.test(lower) ? ALONE : LETTER, text: lower });
    }
  }
  return units.length === 0 ? ACCENT : { kind: units[0]!.kind, units };
}

const known = new Map<number, Normalised>();

/** `code` may be a lone surrogate: it is dropped. */
export function normalise(code: number): Normalised {
  let entry = known.get(code);
  if (entry === undefined) {
    entry = compute(code);
    known.set(code, entry);
  }
  return entry;
}

/** Kind by code for ASCII, so that plain text needs no look-up by map. */
export const ASCII_KIND: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => compute(code).kind);
