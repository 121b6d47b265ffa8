import type { Interval } from '../../calibration/index.ts';

/** Plain text table: the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (row[0] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
      )
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** A share in three digits, `–` where there is none. */
export function share(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

/** `.812 [.790, .833]`. */
export function withInterval(value: number | null, interval: Interval | null): string {
  if (value === null) return '–';
  return interval === null
    ? share(value)
    : `${share(value)} [${share(interval.low)}, ${share(interval.high)}]`;
}

/** Milliseconds with as many digits as mean something. */
export function ms(value: number | null): string {
  if (value === null) return '–';
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}
