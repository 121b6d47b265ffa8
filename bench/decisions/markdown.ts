import type { ActionFigure, ActionFigures } from '../../calibration/index.ts';
import { ACTIONS } from '../../router/index.ts';
import { markdownRow, share, withInterval } from '../measure/table.ts';
import type { SetReport } from './report.ts';

const HEAD = [
  'policy',
  'accuracy',
  'macro-F1',
  ...ACTIONS.flatMap((action) => [`${action} precision`, 'recall']),
  'in vain',
  'wrong',
];

/** Every policy on every set as Markdown: the table of a page. `command`: what was run, without the program's name. */
export function markdownOf(reports: readonly SetReport[], command: string): string {
  return [
    '# Answer, ask or abstain: every policy on every set',
    '',
    `Written by \`pragaura ${command}\`. Brackets: 95 %, percentile bootstrap by group (document, contract, rule text, ` +
      'story), 1,000 resamples; none where a resample had no value. *In vain*: of all queries, those answered though ' +
      'another action is right; *wrong*: those, or answered with another text. `layer` rows: that layer alone, and what ' +
      'it leaves open is answered. Queries that the planner was fitted on are never among those reported.',
    ...reports.flatMap(section),
    '',
  ].join('\n');
}

function section({ set, about, rows }: SetReport): string[] {
  const { n, groups, gold } = rows[0]!.figures;
  const right = ACTIONS.map((action) => `${action} ${gold[action]}`).join(', ');
  return [
    '',
    `## ${set}`,
    '',
    `${about[0]!.toUpperCase()}${about.slice(1)}. ${n} queries of ${groups} groups: ${right}.`,
    '',
    markdownRow(HEAD),
    markdownRow(HEAD.map(() => '---')),
    ...rows.map(({ policy, figures }) => markdownRow([policy, ...cells(figures)])),
  ];
}

function cells({ accuracy, macroF1, actions, answeredInVain, wrong }: ActionFigures): string[] {
  const perAction = ACTIONS.flatMap((action) => [actions[action].precision, actions[action].recall]);
  return [accuracy, macroF1, ...perAction, answeredInVain, wrong].map(cell);
}

function cell({ value, interval }: ActionFigure): string {
  // A width of nothing says nothing.
  return interval !== null && interval.low === interval.high ? share(value) : withInterval(value, interval);
}
