/** The first paper's frontier: what a query takes against what it is worth, under one budget after another. */
import { type Evaluation, type Figure, framed, series } from '../../calibration/index.ts';
import { markdownTable, ms, share, withInterval } from '../measure/table.ts';
import type { TabledFigure } from './selective.ts';

/** A quarter and half of the default budget, and all of it. */
export const BUDGETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  quarter: { docsScored: 15, rerankPairs: 9, nliPairs: 8, contextTokens: 1280 },
  half: { docsScored: 30, rerankPairs: 18, nliPairs: 15, contextTokens: 2560 },
  whole: {},
};
export const POLICIES = ['act', 'uniform'] as const;
const COVERAGE = 0.8;

/** What is kept of the evaluations, by `POLICY-BUDGET`. `gain`: EM by act less uniform under the whole budget. */
export function frontierReport(evaluations: Readonly<Record<string, Evaluation>>) {
  const points = POLICIES.flatMap((policy) =>
    Object.keys(BUDGETS).map((budget) => {
      const { spent, rankings, counts } = evaluations[`${policy}-${budget}`]!;
      const at = rankings[0]?.selective.find(({ coverage }) => coverage === COVERAGE);
      return {
        policy,
        budget,
        examples: counts.examples,
        ms: spent?.ms?.mean ?? null,
        em: { value: at?.em.value ?? null, interval: at?.em.interval ?? null },
        f1: { value: at?.f1.value ?? null, interval: at?.f1.interval ?? null },
      };
    }),
  );
  const whole = (policy: string) =>
    points.find((each) => each.policy === policy && each.budget === 'whole')?.em.value ?? null;
  const [act, uniform] = POLICIES.map(whole) as [number | null, number | null];
  return { points, gain: act === null || uniform === null ? null : act - uniform };
}
export type FrontierReport = ReturnType<typeof frontierReport>;

/** EM at .8 coverage against milliseconds a query; the line joins the budgets of a policy. */
export function frontierFigures({ points }: FrontierReport, name: string): TabledFigure[] {
  const { color, shape, strokeDash } = series(POLICIES, 'policy');
  const x = { field: 'ms', type: 'quantitative', title: 'Milliseconds a query', scale: { zero: false } };
  const y = { field: 'em', type: 'quantitative', title: 'EM at 80 % coverage', scale: { zero: false } };
  const values = points.map(({ em, ...point }) => ({ ...point, em: em.value }));
  const figure: Figure = {
    name: `${name}-budgets`,
    title: 'Accuracy and latency',
    caption: `EM of the least uncertain 80 % against the mean time of a query, under a quarter, half and all of the budget. Up and left is better. ${points[0]?.examples ?? 0} questions.`,
    spec: framed({
      height: 260,
      data: { values },
      layer: [
        { mark: { type: 'line', strokeWidth: 2 }, encoding: { x, y, color, strokeDash } },
        { mark: { type: 'point', filled: true, size: 90, opacity: 1 }, encoding: { x, y, color, shape } },
      ],
    }),
  };
  return [
    {
      figure,
      head: ['policy', 'budget', 'ms a query', 'EM', 'F1'],
      rows: points.map((each) => [
        each.policy,
        each.budget,
        ms(each.ms),
        withInterval(each.em.value, each.em.interval),
        withInterval(each.f1.value, each.f1.interval, share),
      ]),
    },
  ];
}

export function frontierMarkdown(report: FrontierReport): string {
  return frontierFigures(report, 'page')
    .map(({ figure, head, rows }) => `${figure.caption}\n\n${markdownTable(head, rows)}`)
    .join('\n\n');
}
