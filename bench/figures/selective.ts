/** The first paper's figures of answering selectively, of what was kept of two evaluations of one test. */
import {
  ablation,
  type Evaluation,
  type Figure,
  framed,
  percent,
  riskCoverageFigure,
  selectiveAccuracy,
  topFor,
  uncertaintyByAct,
  unsupported,
} from '../../calibration/index.ts';
import { markdownTable, share, withInterval } from '../measure/table.ts';

const THRESHOLDS = ['one tau', 'tau per act'] as const;
type Thresholds = (typeof THRESHOLDS)[number];

/** A figure with a table of the same numbers. */
export interface TabledFigure {
  figure: Figure;
  head: string[];
  rows: string[][];
}

/** What is kept: of the evaluation with a tau per act what figures are drawn of, and where either's thresholds stand. */
export function selectiveReport(evaluations: Record<Thresholds, Evaluation>) {
  const { counts, settings, everything, coverage, answered, rankings, acts } = evaluations['tau per act'];
  return {
    examples: counts.examples,
    documents: counts.documents,
    evaluation: {
      settings,
      everything,
      coverage,
      answered,
      // Orders without a signal are compared by their areas.
      rankings: rankings.map((each) => (/^without /.test(each.name) ? { ...each, curve: [] } : each)),
      acts,
    },
    thresholds: Object.fromEntries(
      THRESHOLDS.map((name) => {
        const { coverage, answered, unsupported } = evaluations[name];
        return [name, { coverage, em: answered.em, f1: answered.f1, unsupported: unsupported.tokens }];
      }),
    ) as Record<Thresholds, Record<'coverage' | 'em' | 'f1' | 'unsupported', Estimate>>,
    shares: Object.fromEntries(acts.map(({ act, n }) => [act, n / counts.examples])),
  };
}
export type SelectiveReport = ReturnType<typeof selectiveReport>;
type Estimate = Evaluation['coverage'];

const shown = ({ value, interval }: Pick<Estimate, 'value' | 'interval'>) => withInterval(value, interval);

/** EM and F1, risk, the unsupported share, orders without a signal, U and tau by act, how often each act is; their names begin with `name`. */
export function selectiveFigures(
  { examples, documents, evaluation, thresholds, shares }: SelectiveReport,
  name: string,
): TabledFigure[] {
  const of = `${examples} questions of ${documents} documents.`;
  const named = (figure: Figure): Figure => ({
    ...figure,
    name: `${name}-${figure.name}`,
    caption: `${figure.caption} ${of}`,
  });
  const [own] = evaluation.rankings;
  const curve = tenths(own?.curve ?? []);
  const at = (less: number | null) => share(less === null ? null : 1 - less);
  const stands = THRESHOLDS.map((each) => ({ name: each, ...thresholds[each] }));
  const byShare = Object.entries(shares).sort((a, b) => b[1] - a[1]);
  return [
    {
      figure: named(selectiveAccuracy(evaluation)),
      head: ['coverage', 'EM', 'F1'],
      rows: [
        ...curve.map(({ coverage, riskEm, riskF1 }) => [share(coverage), at(riskEm), at(riskF1)]),
        ...stands.map((each) => [`${each.name}: ${shown(each.coverage)}`, shown(each.em), shown(each.f1)]),
      ],
    },
    {
      figure: named(riskCoverageFigure(evaluation)),
      head: ['coverage', 'risk'],
      rows: curve.map(({ coverage, risk }) => [share(coverage), share(risk)]),
    },
    {
      figure: named(unsupported(evaluation)),
      head: ['coverage', 'tokens: 1 - SCR', 'entailment: 1 - E'],
      rows: [
        ...curve.map((each) =>
          [each.coverage, each.unsupportedTokens, each.unsupportedEntailment].map(share),
        ),
        ...stands.map((each) => [`${each.name}: ${shown(each.coverage)}`, shown(each.unsupported), '–']),
      ],
    },
    {
      figure: named(ablation(evaluation)),
      head: ['order', 'AURC', 'best order possible', 'E-AURC'],
      rows: evaluation.rankings.map((each) => {
        const { aurc, oracle, excess } = each.losses.wrong;
        return [each.name, ...[aurc, oracle, excess].map(shown)];
      }),
    },
    {
      figure: named(uncertaintyByAct(evaluation)),
      head: ['act', 'questions', 'tau', 'answered', 'EM of answered', '5 %', 'median U', '95 %'],
      rows: evaluation.acts.map(({ act, n, tau, coverage, em, uncertainty }) => [
        act,
        String(n),
        share(tau),
        share(coverage.value),
        shown(em),
        ...[uncertainty?.p5, uncertainty?.p50, uncertainty?.p95].map((value) => share(value ?? null)),
      ]),
    },
    {
      figure: named({
        name: 'acts',
        title: 'How often each act is',
        caption: 'Share of the questions, by the act that is predicted.',
        spec: framed({
          height: { step: 26 },
          data: { values: byShare.map(([act, value]) => ({ act, value })) },
          mark: { type: 'bar', height: 14, color: '#bcd8ea', stroke: '#000000' },
          encoding: {
            y: { field: 'act', type: 'nominal', sort: '-x', title: null, axis: { labelLimit: 0 } },
            x: percent('value', 'Share of questions', topFor(byShare.map(([, value]) => value))),
          },
        }),
      }),
      head: ['act', 'share'],
      rows: byShare.map(([act, value]) => [act, share(value)]),
    },
  ];
}

/** The tables of the figures, for a page. */
export function selectiveMarkdown(report: SelectiveReport): string {
  return selectiveFigures(report, 'page')
    .map(
      ({ figure, head, rows }) => `**${figure.title}**\n\n${figure.caption}\n\n${markdownTable(head, rows)}`,
    )
    .join('\n\n');
}

/** The points nearest to each tenth of coverage. */
function tenths<T extends { coverage: number }>(curve: readonly T[]): T[] {
  if (curve.length === 0) return [];
  const nearest = (coverage: number) =>
    curve.reduce((best, each) =>
      Math.abs(each.coverage - coverage) < Math.abs(best.coverage - coverage) ? each : best,
    );
  return [...new Set(Array.from({ length: 10 }, (_, tenth) => nearest((tenth + 1) / 10)))];
}
