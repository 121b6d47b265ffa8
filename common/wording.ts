/** Other people's words and lists inside sentences of ours. */

const LONGEST = 160;

/** Text from a document or a query inside a sentence of ours. */
export function quoted(text: string): string {
  return `"${oneLine(text)}"`;
}

/** On one line, cut at 160 UTF-16 units and never inside a character. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** "a", "a or b", "a, b or c". */
export function list(items: readonly string[], conjunction: 'and' | 'or'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}
