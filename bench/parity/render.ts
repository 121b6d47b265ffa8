/** The report of one set as text. */
import { COUNTED_UNITS } from '../../profiles/index.ts';
import { share, table, withInterval } from '../measure/table.ts';
import type { SetReport } from './assemble.ts';
import { CERTIFIED_UNITS, inWords } from './certificate.ts';
import type { Comparison, Test } from './compare.ts';
import { type Estimated, nameOf, type Standing } from './contenders.ts';

export function render(report: SetReport): string {
  const { split } = report;
  const parts = Object.entries(split.splits).map(
    ([name, { examples, groups }]) => `${name} ${examples} of ${groups} groups`,
  );
  return [
    `== ${report.set}: ${report.about}; whole index, ${report.questions} questions; split by group, seed ${split.seed}: ${parts.join(', ')}`,
    '',
    'Policies under their budgets. Spent: means of one question, from the ledgers. Figures over all questions.',
    arms(report),
    '',
    `Ways of deciding, on the test split. EM and F1 of the least uncertain ${report.coverage}; thresholds that promise this coverage put to the test.`,
    standings(report.standings),
    '',
    'Policies compared: first less second. AURC, E-AURC, AUGRC: less is better; loss 1 - EM, U fitted for each policy, test split.',
    comparisons(report.allocation),
    '',
    'Ways of deciding compared, on the test split.',
    comparisons(report.decision),
    ...(report.worth.length === 0 ? [] : ['', ...worth(report)]),
    ...(report.paper.length === 0 ? [] : ['', ...paper(report)]),
    ...report.remarks.map((remark) => `remark: ${remark}`),
    '',
    'Intervals 95 % by bootstrap over groups (differences: 10,000 resamples, single figures: 1,000). p: two-sided, from',
    'the same resamples; McNemar: exact, questions counted as independent. Each adjusted by Holm over all tests of its own',
    'kind in the table: two families, so that a chance of .05 holds for each of them, and .1 for who looks at both. What',
    'counts is the bootstrap; McNemar shows what independence would have said. Milliseconds are not compared: scores that policies have in common were computed once.',
  ].join('\n');
}

function arms({ arms: rows }: SetReport): string {
  const names = Object.keys(rows[0]?.figures ?? {});
  // Without a language model its columns would hold nothing.
  const asked = rows.some(({ spent }) => (spent?.requests ?? 0) > 0);
  const units = asked ? CERTIFIED_UNITS : COUNTED_UNITS;
  return table(
    ['policy', ...units, 'failed', ...names],
    rows.map(({ about, spent, failed, figures }) => [
      about,
      ...units.map((unit) => (spent === null ? '–' : spent[unit].toFixed(1))),
      String(failed),
      ...names.map((name) => withInterval(figures[name]!.mean, figures[name]!.interval)),
    ]),
  );
}

const estimated = (figure: Estimated | undefined) =>
  figure === undefined ? '–' : withInterval(figure.value, figure.interval);

function standings(rows: SetReport['standings']): string {
  const columns = ['AURC', 'E-AURC', 'AUGRC', 'EM', 'F1'] as const;
  return table(
    ['way of deciding', 'n', ...columns, 'covered by tau', 'EM there'],
    rows.map(({ contender, operating, n, unscored, areas }) => [
      nameOf(contender),
      `${n}${unscored > 0 ? ` (${unscored} unscored)` : ''}`,
      ...columns.map((name) => estimated(areas?.[name])),
      ...byTau(operating),
    ]),
  );
}

function comparisons(list: readonly Comparison[]): string {
  if (list.length === 0) return 'none: their policies were not run';
  const signed = (value: number | null) =>
    value === null ? '–' : `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
  const p = (value: number | null) => (value === null ? '–' : value < 0.0001 ? '<.0001' : value.toFixed(4));
  const row = ({ metric, difference, interval, ...test }: Test): string[] => [
    `    ${metric}`,
    String(test.n - test.unscored),
    share(test.a),
    share(test.b),
    signed(difference),
    interval === null ? '–' : `[${signed(interval.low)}, ${signed(interval.high)}]`,
    p(test.p),
    p(test.adjusted),
    p(test.mcnemar),
    p(test.mcnemarAdjusted),
  ];
  const blocks = list.map(({ a, b, verdict, tests }) => ({
    titles: verdict.comparable
      ? [`${a} less ${b}`]
      : [`${a} less ${b}: NOT COMPARABLE`, ...verdict.refusals.map((refusal) => `    ${inWords(refusal)}`)],
    rows: tests.map(row),
  }));
  const head = ['', 'n', 'first', 'second', 'difference', '95 %', 'p', 'Holm', 'McNemar', 'Holm'];
  const [names, rule, ...rows] = table(
    head,
    blocks.flatMap((block) => block.rows),
  ).split('\n');
  // Titles are set between the rows, so that they do not widen the first column.
  const lines = blocks.flatMap(({ titles, rows: own }) => [...titles, ...rows.splice(0, own.length)]);
  return [names, rule, ...lines].join('\n');
}

function worth({ worth: rows }: SetReport): string[] {
  const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
  return [
    "What the paper's unequal settings are worth: act at 55 documents, depth 50, less uniform at 40, depth 40, which is no",
    'comparison, taken apart into what the larger budget does to uniform and what the policy does at that budget. The',
    'paired test of the last column stands above.',
    table(
      ['', 'questions', 'unequal, in all', 'of it budget', 'of it policy'],
      rows.map(({ metric, over, total, budget, policy }) => [
        metric,
        over === 'all' ? 'all' : 'test split',
        signed(total),
        signed(budget),
        signed(policy),
      ]),
    ),
  ];
}

function paper({ paper: rows, printed, coverage, arms: run }: SetReport): string[] {
  const ours = ({ contender, operating, areas }: Omit<Standing, 'items'>): string[] => {
    const spent = run.find(({ name }) => name === contender.arm)?.spent;
    return [
      coverage,
      share(areas?.EM.value ?? null),
      share(areas?.F1.value ?? null),
      share(areas?.AURC.value ?? null),
      share(areas?.['AURC of F1'].value ?? null),
      spent?.docsScored.toFixed(1) ?? '–',
      spent?.rerankPairs.toFixed(1) ?? '–',
      spent?.contextTokens.toFixed(0) ?? '–',
      ...byTau(operating),
    ];
  };
  return [
    `The paper's tables near coverage ${coverage}: printed, then ours. EM and F1 are those of the sweep, as the paper has them;`,
    'the last two columns are what thresholds from the calibrate split come to. Its tokens are those of a context for a',
    'generator, ours all that the reader looked at.',
    table(
      [
        '',
        'coverage',
        'EM',
        'F1',
        'AURC',
        'AURC of F1',
        'docs',
        'depth',
        'tokens',
        'covered by tau',
        'EM there',
      ],
      [
        ...printed.map((row) => [
          `paper: ${row.method}`,
          share(row.coverage),
          share(row.em),
          share(row.f1),
          share(row.aurc),
          share(row.aurcOfF1),
          row.docs.toFixed(1),
          row.depth.toFixed(1),
          String(row.tokens),
          '',
          '',
        ]),
        ...rows.map(({ settings, standing }) => [
          `ours, ${settings}: ${nameOf(standing.contender)}`,
          ...ours(standing),
        ]),
      ],
    ),
  ];
}

/** Coverage that thresholds came to, and EM of what they answered. */
function byTau(operating: Standing['operating']): [string, string] {
  if (operating === null) return ['–', '–'];
  const { rungs, n, coverage, em } = operating;
  return rungs.none === n ? ['no threshold', '–'] : [estimated(coverage), share(em)];
}
