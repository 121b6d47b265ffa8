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

/** Every policy on every set, as part of a page. */
export function decisionsInFull(reports: readonly SetReport[]): string {
  return reports.map((report) => section(report).join('\n')).join('\n\n');
}

function section({ set, about, rows }: SetReport): string[] {
  const { n, groups, gold } = rows[0]!.figures;
  const right = ACTIONS.map((action) => `${action} ${gold[action]}`).join(', ');
  return [
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
