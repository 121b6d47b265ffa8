import { columns, plain, plainLine } from '../../common/index.ts';

/** A stretch of text in one style. Its text is made harmless and put on one line when it is laid out. */
export interface Run {
  text: string;
  style?: (text: string) => string;
}

/**
 * Words of all runs one after the other, in lines of at most `width` characters behind `indent`; a longer word
 * stands alone. Each line opens and closes its own styles, so that no escape sequence is cut.
 */
export function flow(runs: readonly Run[], width: number, indent = ''): string {
  const lines: Run[][] = [[]];
  let length = 0;
  let gap = false;
  for (const { text, style } of runs) {
    for (const part of plain(text).split(/(\s+)/u)) {
      if (part === '') continue;
      if (/^\s/u.test(part)) {
        gap = length > 0;
        continue;
      }
      if (gap && length + 1 + part.length > width - indent.length) {
        lines.push([]);
        length = 0;
        gap = false;
      }
      const line = lines.at(-1)!;
      const before = line.at(-1);
      const same = before !== undefined && before.style === style;
      if (same) before.text += (gap ? ' ' : '') + part;
      else line.push(...(gap ? [{ text: ' ' }] : []), style ? { text: part, style } : { text: part });
      length += part.length + (gap ? 1 : 0);
      gap = false;
    }
  }
  return lines
    .filter((line) => line.length > 0)
    .map((line) => indent + line.map(({ text, style }) => style?.(text) ?? text).join(''))
    .join('\n');
}

/** Rows in columns, numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[], indent = '  '): string {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? String(cell) : plainLine(cell))),
  );
  return columns(cells, (column, row) => typeof rows[row]![column] !== 'number')
    .map((line) => (indent + line).trimEnd())
    .join('\n');
}
