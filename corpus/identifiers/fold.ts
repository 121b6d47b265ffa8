/** A text made plain for scanning: `at(i)` is the UTF-16 offset in the original of the i-th character of `text`. */
export interface Folded {
  text: string;
  at(i: number): number;
}

const DASHES = new Set('\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d');
const PLAIN = /^[ -~]*$/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}/u;

/**
 * Dash variants become "-", white space becomes " ", full-width and other compatibility letters and digits become
 * plain ones, invisible characters go away.
 */
export function fold(original: string): Folded {
  if (PLAIN.test(original)) return { text: original, at: (i) => i };
  let text = '';
  const at: number[] = [];
  for (let i = 0; i < original.length; ) {
    const point = original.codePointAt(i)!;
    const width = point > 0xffff ? 2 : 1;
    const plain = point < 0x80 ? foldAscii(point) : foldOther(String.fromCodePoint(point));
    for (let j = 0; j < plain.length; j += 1) at.push(i);
    text += plain;
    i += width;
  }
  return { text, at: (i) => at[i]! };
}

function foldAscii(point: number): string {
  return point <= 0x20 ? ' ' : String.fromCharCode(point);
}

function foldOther(char: string): string {
  if (DASHES.has(char)) return '-';
  if (INVISIBLE.test(char)) return '';
  const plain = char.normalize('NFKC');
  if (plain.trim() === '') return ' ';
  return plain.length <= 4 ? plain : char;
}
