/** Every figure of a report as rows of one long table. */
import type { Interval, Table } from '../../calibration/index.ts';
import type { SetReport } from './assemble.ts';
import { nameOf } from './contenders.ts';

const COLUMNS = [
  'set',
  'kind',
  'a',
  'b',
  'metric',
  'n',
  'value',
  'low',
  'high',
  'p',
  'p_holm',
  'mcnemar',
  'mcnemar_holm',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

const bounds = (interval: Interval | null) => ({ low: interval?.low ?? null, high: interval?.high ?? null });

/** Empty cells where there is nothing to say. Runs that are not comparable have no row of differences. */
export function tableOf(reports: readonly SetReport[]): Table {
  const rows = reports.flatMap((report) => rowsOf(report).map((row): Row => ({ ...row, set: report.set })));
  return {
    name: 'parity',
    columns: [...COLUMNS],
    rows: rows.map((row) => COLUMNS.map((name) => row[name] ?? null)),
  };
}

function rowsOf({ arms, standings, allocation, decision }: SetReport): Row[] {
  return [
    ...arms.flatMap(({ name, spent, figures }): Row[] => [
      ...Object.entries(spent ?? {}).map(([unit, value]) => ({
        kind: 'spent',
        a: name,
        metric: unit,
        value,
      })),
      ...Object.entries(figures).map(([metric, { n, unscored, mean, interval }]) => ({
        kind: 'policy',
        a: name,
        metric,
        n: n - unscored,
        value: mean,
        ...bounds(interval),
      })),
    ]),
    ...standings.flatMap(({ contender, areas, n, unscored, operating }): Row[] => [
      ...Object.entries(areas ?? {}).map(([metric, { value, interval }]) => ({
        kind: 'decision',
        a: nameOf(contender),
        metric,
        n: n - unscored,
        value,
        ...bounds(interval),
      })),
      ...(operating === null
        ? []
        : [
            {
              kind: 'decision',
              a: nameOf(contender),
              metric: 'coverage by tau',
              n: operating.n,
              value: operating.coverage.value,
              ...bounds(operating.coverage.interval),
            },
          ]),
    ]),
    ...[...allocation, ...decision].flatMap(({ a, b, tests }): Row[] =>
      tests.map((test) => ({
        kind: 'difference',
        a,
        b,
        metric: test.metric,
        n: test.n - test.unscored,
        value: test.difference,
        ...bounds(test.interval),
        p: test.p,
        p_holm: test.adjusted,
        mcnemar: test.mcnemar,
        mcnemar_holm: test.mcnemarAdjusted,
      })),
    ),
  ];
}
