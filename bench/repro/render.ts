import type { Made } from '../figures/figures-file.ts';
import { otherModels, type Shipped } from '../figures/shipped.ts';
import { markdownRow, table } from '../measure/table.ts';
import type { Matrix, Row } from './matrix.ts';
import type { Verdict } from './verdict.ts';

/** A row with what came of it; `verdict` null: it was not run. */
export interface Judged {
  row: Row;
  found: number | null;
  verdict: Verdict | null;
  /** Why there is no figure. */
  why: string | null;
}

/** As many decimals as the figure expected has, three at least; one as good as none where it is large. */
export function shown(value: number | null): string {
  if (value === null) return '–';
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(3).replace(/^(-?)0\./, '$1.');
}

const printedOf = ({ printed }: Row) =>
  printed
    .map(({ by, figure, note }) => `${by} ${shown(figure)}${note === undefined ? '' : ` (${note})`}`)
    .join('; ');

const NOT_RUN = 'not run';

const verdictText = ({ verdict, why }: Judged) => `${verdict ?? NOT_RUN}${why === null ? '' : ` (${why})`}`;

/** For the terminal. */
export function renderTable(judged: readonly Judged[]): string {
  const rows = judged.map(({ row, found, verdict }) => [
    `${(verdict ?? NOT_RUN).padEnd(7)}  ${row.id}`,
    row.figure,
    shown(row.expected),
    shown(found),
    printedOf(row),
  ]);
  const reasons = judged.flatMap(({ row, why }) => (why === null ? [] : [`${row.id}: ${why}`]));
  return [
    table(['verdict  row', 'figure', 'expected', 'found', 'printed elsewhere'], rows),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
  ].join('\n');
}

/** A row of a matrix and what came of it, under these heads. */
export const HEADS = [
  'data set',
  'figure',
  'expected',
  'found',
  'verdict',
  'printed elsewhere',
  'note',
] as const;

export function cellsOf(one: Judged): string[] {
  const { row, found } = one;
  return [
    row.dataset,
    row.figure,
    shown(row.expected),
    shown(found),
    verdictText(one),
    printedOf(row),
    row.note ?? '',
  ];
}

/** For a page: what was expected and found, beside what others printed, the commands, and when they were run with which models. */
export function renderMarkdown(
  { title, runs }: Matrix,
  judged: readonly Judged[],
  made: ReadonlyMap<string, Made>,
  shipped: Shipped,
): string {
  const rows = judged.map((one) => markdownRow(cellsOf(one)));
  const commands = runs.map(({ id, before, command }) => {
    const steps = [...before, command].map((step) => `\`pragaura ${commandTold(step)}\``).join(', then ');
    return `- ${id}: ${steps}${whenMade(made.get(id), shipped)}`;
  });
  return [
    `${title}. OK: the figure within its tolerance, OKish: near, FAIL: not reproduced, NEW: nothing is claimed yet.`,
    '',
    markdownRow(HEADS),
    markdownRow(HEADS.map(() => '---')),
    ...rows,
    '',
    'Each by `pragaura repro --only ID`, which runs (`--data` and `--out` left out; `{shared}` and `{out}` are folders under its own `--out`):',
    '',
    ...commands,
  ].join('\n');
}

/** After a command: when and where it was last run, and whether with models that no longer ship. */
function whenMade(made: Made | undefined, shipped: Shipped): string {
  if (made === undefined) return '; **before the models that ship now**';
  const other = otherModels(made.models, shipped);
  const then = other.length === 0 ? '' : `; **made with other models than ship now**: ${other.join('; ')}`;
  return `; ${made.date}, ${made.machine}${then}`;
}

/** Without where data come from and results go. */
export function commandTold(command: readonly string[]): string {
  const folder = /^--(data|out)$/;
  const last = (place: number) => command[place - 1] ?? '';
  return command
    .filter((part, place) => !(folder.test(part) || (folder.test(last(place)) && part.startsWith('{'))))
    .join(' ');
}
