/** Words that say what kind of page a title names, and nothing else. */
const GENERIC = new Set(
  'a an chapter doc docs documentation for guide handbook help homepage man manual of page pages part reference section the user'.split(
    ' ',
  ),
);
/** What parts a page's own title from the names of its chapter and site. */
const PARTING = /\s+[—–|·»-]\s+|:\s+|\s+(?=\()/;

const NUMBER =
  /^\s*(?:(?:chapter|section|part|appendix)\s+(?:\d{1,4}|[A-Z])|\d{1,4}|[A-Z](?=\.\d))(?:\.\d{1,4})*[.):]?\s+(?=\S)/i;

/** Words of a heading without its number, in small letters. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(NUMBER, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** Whether a heading says no more than the title above it: it is the title, or its name for itself before a site's. */
function repeats(title: string, heading: string): boolean {
  const words = wordsOf(heading);
  const whole = wordsOf(title);
  if (words.length === 0 || whole.length === 0) return false;
  if (same(words, whole)) return true;
  const at = words.findIndex((_, i) => whole.every((word, j) => words[i + j] === word));
  if (at !== -1) return words.every((word, i) => (i >= at && i < at + whole.length) || GENERIC.has(word));
  const pieces = title.split(PARTING);
  return pieces.some(
    (_, i) =>
      same(wordsOf(pieces.slice(0, i + 1).join(' ')), words) ||
      same(wordsOf(pieces.slice(i).join(' ')), words),
  );
}

/**
 * The title of a document and the headings above a passage, without those that only say again what the title or the
 * heading before them says: "git-stash(1)", "git-stash(1) Manual Page", "NAME" are "git-stash(1)", "NAME".
 */
export function breadcrumbs(title: string, headings: readonly string[]): string[] {
  const path = title === '' ? [] : [title];
  for (const heading of headings) {
    const above = path.at(-1);
    const again = (title !== '' && repeats(title, heading)) || heading === above;
    if (heading !== '' && !again) path.push(heading);
  }
  return path;
}
