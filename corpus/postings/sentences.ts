const ABBREVIATIONS = new Set(
  'mr mrs ms dr st vs etc prof gen col sgt capt lt rev hon jr sr no vol fig eq inc ltd co corp approx dept est ca cf al e.g i.e'.split(
    ' ',
  ),
);
/** A stop with what may close it and white space after it, or the end of a line that starts something new. */
const BOUNDARY =
  /[.!?]["'”’)\]]{0,3}\s+(?=["'“‘([]?[\p{Lu}\p{N}])|[。！？]|\n(?=\s{0,8}(?:\n|[-*+•#|]|\d{1,3}[.)]))/gu;
const LAST_WORD = /[\p{L}.]{1,12}$/u;

function endsInAbbreviation(text: string, start: number, dot: number): boolean {
  const word = LAST_WORD.exec(text.slice(Math.max(start, dot - 12), dot))?.[0];
  if (word === undefined) return false;
  return /^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}

/** Cuts a passage into sentences and list items; together they are the whole text. */
export function sentences(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    if (match[0].startsWith('.') && endsInAbbreviation(text, start, match.index)) continue;
    const end = match.index + match[0].length;
    found.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) found.push(text.slice(start));
  return found;
}
