import { clopperPearson, type Interval } from '../../calibration/index.ts';

export { table } from '../../common/index.ts';

/** A share in three digits, `–` where there is none. */
export function share(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

/** `.812 [.790, .833]`. */
export function withInterval(value: number | null, interval: Interval | null, show = share): string {
  if (value === null || interval === null) return show(value);
  return `${show(value)} [${show(interval.low)}, ${show(interval.high)}]`;
}

/** Largest share that `k` of `n` do not speak against at 95 %, one-sided: the upper end of a two-sided interval of 90 %. */
export function upperShare(k: number, n: number): number {
  return (clopperPearson(k, n, 0.9) as Interval).high;
}

/** Milliseconds with as many digits as mean something. */
export function ms(value: number | null): string {
  if (value === null) return '–';
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}

/** A row of a Markdown table. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** Lays out head and rows: `table` for a terminal, `markdownTable` for a page. */
export type Layout = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** A Markdown table, figures to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const under = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, under, ...rows].map(markdownRow).join('\n');
}

/** What was laid out with `markdownTable` as part of a page: every line a paragraph, lines that begin with "==" bold. */
export function asPage(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^== (.*)$/, '**$1**'));
  return lines
    .flatMap((line, i) => {
      const inside = line.startsWith('|') && (lines[i - 1] ?? '').startsWith('|');
      return line.trim() === '' ? [] : inside ? [line] : ['', line];
    })
    .join('\n')
    .trim();
}
