/** "line:column", both from 1, of an offset into `text`; "\n", "\r\n" and "\r" end a line. */
export function linePositions(text: string): (offset: number) => string {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|[\n\r]/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    const line = Math.max(
      0,
      lastAtMost(starts.length, (i) => starts[i]!, offset),
    );
    return `${line + 1}:${offset - starts[line]! + 1}`;
  };
}

/** The position that was noted last at or before an offset. `marks` in ascending order of `at`. */
export function notedPositions(
  marks: readonly { at: number; position: string }[],
): (offset: number) => string {
  return (offset) => {
    const place = lastAtMost(marks.length, (i) => marks[i]!.at, offset);
    return marks[Math.max(0, place)]?.position ?? '1:1';
  };
}

/** The last of `count` places, in ascending order, whose number is at most `limit`; -1: none. */
export function lastAtMost(count: number, numberAt: (place: number) => number, limit: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberAt(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** `text` cut to at most `max` UTF-16 units, never between the halves of a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
}

const MAX_TITLE = 200;

/** A title or heading on one line, without control characters, of bounded length. */
export function cleanTitle(text: string): string {
  return clip(
    text
      .slice(0, 4 * MAX_TITLE)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    MAX_TITLE,
  );
}
