import type { Status } from '../monitor/records.ts';

const share = (value: number | null) => (value === null ? '–' : value.toFixed(3));
const evidence = (value: number) => (value < 1e6 ? value.toFixed(2) : value.toExponential(1));

/** A status for people: a line a watch. */
export function renderStatus({
  tally,
  watches,
  unwatched,
  alarms,
  guarantee,
  waiting,
  mean,
}: Status): string {
  const rows = watches.map((watch) => [
    `${watch.figure} ${watch.direction}${watch.against === 'promised' ? ' (promised)' : ''}`,
    watch.act ?? 'all acts',
    `${watch.reference.k}/${watch.reference.n}`,
    share(watch.bound),
    String(watch.n),
    share(watch.mean),
    share(watch.recent),
    evidence(watch.evidence),
    watch.alarm ? 'ALARM' : '',
  ]);
  rows.push(['together', '', '', '', '', '', '', evidence(mean.evidence), mean.alarm ? 'ALARM' : '']);
  return [
    `${tally.decisions} decisions, ${tally.answered} answered, ${tally.judged} judged, ${alarms} alarms; ` +
      `${tally.restricted} restricted not looked at; ` +
      `${waiting.answers} answers wait for a label, ${waiting.labels} labels for a decision`,
    columns([['watch', 'act', 'test', 'bound', 'n', 'mean', 'lately', 'evidence', ''], ...rows]),
    ...unwatched.map(
      ({ act, n, least }) => `not watched: ${act}, ${n} queries in the test split, ${least} needed`,
    ),
    guarantee,
    '',
  ].join('\n');
}

/** Words to the left, the rest to the right. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at < 2 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
