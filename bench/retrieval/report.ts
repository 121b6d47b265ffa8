import {
  allAt,
  anyAt,
  type Gains,
  ndcgAt,
  type Paired,
  pairedDifference,
  reciprocalRankAt,
  type Summary,
  summarise,
} from '../../calibration/index.ts';
import { COUNTED_UNITS } from '../../profiles/index.ts';
import type { ReferenceRun } from '../datasets/hotpot.ts';
import type { Dataset } from '../datasets/types.ts';
import { type Layout, share, table, withInterval } from '../measure/table.ts';
import { type QueryResult, STAGES, type Stage } from './stages.ts';

type Metric = (ranking: readonly string[], gains: Gains) => number | null;

const METRICS: Record<string, Metric> = {
  'R@1': (ranking, gains) => anyAt(ranking, gains, 1),
  'R@10': (ranking, gains) => anyAt(ranking, gains, 10),
  'MRR@10': (ranking, gains) => reciprocalRankAt(ranking, gains, 10),
};
const NDCG: Record<string, Metric> = { 'nDCG@10': (ranking, gains) => ndcgAt(ranking, gains, 10) };
const BOTH: Record<string, Metric> = {
  'any@2': (ranking, gains) => anyAt(ranking, gains, 2),
  'both@2': (ranking, gains) => allAt(ranking, gains, 2),
  'both@10': (ranking, gains) => allAt(ranking, gains, 10),
};

/** Graded sets get nDCG, sets whose queries need two documents the `both` metrics. */
function metricsOf(dataset: Dataset): Record<string, Metric> {
  const graded = dataset.queries.some(({ relevant }) => relevant.some(({ grade }) => grade !== 1));
  const pairs = dataset.queries.every(({ relevant }) => relevant.length === 2);
  return { ...METRICS, ...(graded ? NDCG : {}), ...(pairs ? BOTH : {}) };
}

/** Pairs of stages whose difference is taken on the queries that both ran on: the second is never run on fewer. */
const COMPARISONS: readonly (readonly [Stage, Stage])[] = [
  ['fused, act', 'fused, uniform'],
  ['reranked, act', 'reranked, uniform'],
  ['reranked, act', 'fused, act'],
];

type Rankings = ReadonlyMap<string, readonly string[]>;

export interface SetReport {
  set: string;
  about: string;
  documents: number;
  /** By stage, then by metric. */
  stages: { stage: string; metrics: Record<string, Summary> }[];
  /** Stage `a` less stage `b` on the same queries. */
  differences: { a: Stage; b: Stage; metric: string; difference: ReturnType<typeof pairedDifference> }[];
  /** Summed over the queries, by policy and unit; `unequal`: queries for which the two spent differently. */
  spent: { uniform: Record<string, number>; act: Record<string, number>; unequal: Record<string, number> };
  acts: Record<string, number>;
  unsure: number;
}

/** Everything that the results of one set say. */
export function reportOn(
  dataset: Dataset,
  results: readonly QueryResult[],
  references: readonly ReferenceRun[],
): SetReport {
  const queries = new Map(dataset.queries.map((query) => [query.id, query]));
  const metrics = metricsOf(dataset);
  const valuesOf = (rankings: Rankings, metric: Metric) =>
    [...rankings].map(([id, ranking]) => {
      const { group, relevant } = queries.get(id)!;
      return {
        id,
        group,
        value: metric(ranking, new Map(relevant.map(({ docId, grade }) => [docId, grade]))),
      };
    });
  const summaries = (rankings: Rankings) =>
    Object.fromEntries(
      Object.entries(metrics).map(([name, metric]) => [name, summarise(valuesOf(rankings, metric))]),
    );
  const rankingsOf = (stage: Stage): Rankings =>
    new Map(results.flatMap(({ id, rankings }) => (rankings[stage] ? [[id, rankings[stage]]] : [])));
  const asked = new Set(results.map(({ id }) => id));
  const rows: [string, Rankings][] = [
    ...STAGES.map((stage): [string, Rankings] => [stage, rankingsOf(stage)]),
    ...references.map(({ name, rankings }): [string, Rankings] => [
      name,
      new Map([...rankings].filter(([id]) => asked.has(id))),
    ]),
  ];
  const differences = COMPARISONS.flatMap(([a, b]) =>
    Object.entries(metrics).map(([metric, of]) => {
      const other = new Map(valuesOf(rankingsOf(b), of).map(({ id, value }) => [id, value]));
      const pairs = valuesOf(rankingsOf(a), of).map(
        ({ id, group, value }): Paired => ({ group, a: value, b: other.get(id)! }),
      );
      return { a, b, metric, difference: pairedDifference(pairs) };
    }),
  );
  const acts: Record<string, number> = {};
  for (const { act } of results) acts[act] = (acts[act] ?? 0) + 1;
  return {
    set: dataset.name,
    about: dataset.about,
    documents: dataset.documents.length,
    stages: rows
      .filter(([, rankings]) => rankings.size > 0)
      .map(([stage, rankings]) => ({ stage, metrics: summaries(rankings) })),
    differences: differences.filter(({ difference }) => difference.n > 0),
    spent: spentBy(results),
    acts,
    unsure: results.filter(({ confident }) => !confident).length,
  };
}

/** Receipts are compared over queries that both policies took equally far: all of them, by construction. */
function spentBy(results: readonly QueryResult[]): SetReport['spent'] {
  const sum = (of: (result: QueryResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const each = (of: (result: QueryResult, unit: (typeof COUNTED_UNITS)[number]) => number) =>
    Object.fromEntries(COUNTED_UNITS.map((unit) => [unit, sum((result) => of(result, unit))]));
  return {
    uniform: each(({ spent }, unit) => spent.uniform[unit]),
    act: each(({ spent }, unit) => spent.act[unit]),
    unequal: each(({ spent }, unit) => (spent.uniform[unit] === spent.act[unit] ? 0 : 1)),
  };
}

/** The report as text: figures, differences, receipts. */
export function render(report: SetReport, layout: Layout = table): string {
  const names = Object.keys(report.stages[0]!.metrics);
  const rows = report.stages.map(({ stage, metrics }) => {
    const { n, groups, unscored } = Object.values(metrics)[0]!;
    const count = unscored === 0 ? String(n) : `${n} (${unscored} unscored)`;
    return [
      stage,
      count,
      String(groups),
      ...names.map((name) => withInterval(metrics[name]!.mean, metrics[name]!.interval)),
    ];
  });
  const differences = report.differences.map(({ a, b, metric, difference }) => [
    `${a} less ${b}: ${metric}`,
    String(difference.n),
    withInterval(difference.mean, difference.interval),
    String(difference.aHigher),
    String(difference.bHigher),
  ]);
  const receipts = Object.keys(report.spent.act).map((unit) => [
    unit,
    String(report.spent.uniform[unit]),
    String(report.spent.act[unit]),
    String(report.spent.unequal[unit]),
  ]);
  const n = Object.values(report.acts).reduce((a, b) => a + b, 0);
  const acts = Object.entries(report.acts)
    .sort((a, b) => b[1] - a[1])
    .map(([act, count]) => `${act} ${share(count / n)}`);
  return [
    `== ${report.set}: ${report.about}; ${report.documents} documents`,
    '',
    layout(['stage', 'n', 'groups', ...names], rows),
    '',
    layout(['paired', 'n', 'difference', 'better', 'worse'], differences),
    '',
    layout(['spent, all queries', 'uniform', 'act', 'queries that differ'], receipts),
    '',
    `predicted acts: ${acts.join(', ')}; blended because unsure: ${share(report.unsure / n)}`,
  ].join('\n');
}
