/** Rows in columns, a line each; `isLeft`: which cells (column, row) stand to the left, the others to the right. */
export function columns(
  rows: readonly (readonly string[])[],
  isLeft: (column: number, row: number) => boolean,
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row, r) =>
    row
      .map((cell, c) => (isLeft(c, r) ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!)))
      .join('  ')
      .trimEnd(),
  );
}

/** Plain text table: the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const filled = [head, ...rows].map((row) => head.map((_, column) => row[column] ?? ''));
  const rule = head.map((_, column) => '-'.repeat(Math.max(...filled.map((row) => row[column]!.length))));
  return columns([filled[0]!, rule, ...filled.slice(1)], (column) => column === 0).join('\n');
}
