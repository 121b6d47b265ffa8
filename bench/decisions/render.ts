import type { ActionFigure, ActionFigures } from '../../calibration/index.ts';
import { ACTIONS } from '../../router/index.ts';
import { type Layout, ms, share, table, withInterval } from '../measure/table.ts';
import type { Planner } from './planners.ts';
import type { SetReport } from './report.ts';
import type { Timing } from './timing.ts';

const HEAD = [
  'policy',
  'accuracy',
  'macro-F1',
  'ANSWER P / R / F1',
  'ASK P / R / F1',
  'ABSTAIN P / R / F1',
  'in vain',
  'misread',
  'wrong',
];

export function renderSet(report: SetReport, layout: Layout = table): string {
  const { set, about, rows } = report;
  const { n, groups, gold, failed } = rows[0]!.figures;
  const actions = ACTIONS.map((action) => `${action} ${gold[action]}`).join(', ');
  return [
    `== ${set}: ${about}`,
    `${n} queries of ${groups} groups: ${actions}${failed > 0 ? `; ${failed} could not be decided` : ''}`,
    '',
    layout(
      HEAD,
      rows.map(({ policy, figures }) => [policy, ...cells(figures)]),
    ),
    ...turns(report, layout),
    ...information(report, layout),
    ...graph(report),
  ].join('\n');
}

function turns({ turns: found }: SetReport, layout: Layout): string[] {
  if (found == null) return [];
  const { n, rows } = found;
  return [
    '',
    `Accuracy by turn: ${n.single} single turns, ${n.later} later ones`,
    layout(
      ['policy', 'single', 'later'],
      rows.map(({ policy, single, later }) => [policy, of(single), of(later)]),
    ),
  ];
}

function information({ information: found }: SetReport, layout: Layout): string[] {
  if (found == null) return [];
  const { n, told, thirds } = found;
  return [
    '',
    `H against I(q): what each signal tells alone, as AUROC over ${n} queries that were measured`,
    layout(
      ['signal', 'answering is wrong', 'of those, asking is right'],
      Object.entries(told).map(([name, { notAnswer, ask }]) => [name, share(notAnswer), share(ask)]),
    ),
    '',
    layout(
      ['I(q)', 'n', 'answered in vain, were all answered', 'mean H, bits'],
      thirds.map(({ from, to, n: own, inVain, H }) => [
        `${share(from)} to ${share(to)}`,
        String(own),
        share(inVain),
        share(H),
      ]),
    ),
  ];
}

function graph({ graph: found }: SetReport): string[] {
  if (found === undefined) return [];
  const { passages, nodes, variables, edges, grounded, ungrounded } = found;
  return [
    '',
    `graph: ${passages} passages, ${nodes} things, ${variables} variables, ${edges} edges${grounded === null ? '' : `; ${ungrounded} triples were dropped as not borne out, ${share(grounded)} stay`}`,
  ];
}

function cells({ accuracy, macroF1, actions, answeredInVain, misread, wrong }: ActionFigures): string[] {
  return [
    of(accuracy),
    of(macroF1),
    ...ACTIONS.map((action) => {
      const { precision, recall, f1 } = actions[action];
      return [precision, recall, f1].map(({ value }) => share(value)).join(' ');
    }),
    of(answeredInVain),
    share(misread.value),
    of(wrong),
  ];
}

function of({ value, interval }: ActionFigure): string {
  return withInterval(value, interval);
}

export const NOTES = [
  'in vain: of all queries, those answered though another action is right (the "hallucination rate" of paper 000);',
  'misread: of the queries rightly answered whose texts are known, those with another text (F1 below .5);',
  'wrong: of all queries, those answered in vain or misread. Macro-F1 is over the actions that are right somewhere in the',
  'set. 95 % intervals: percentile bootstrap by group, 1,000 resamples.',
].join('\n');

/** How the planner was fitted, and what it looks at most. */
export function renderPlanner(name: string, { report, model }: Planner): string {
  const { rows, groups, chosen, quality, importance } = report;
  const held =
    quality === null
      ? ''
      : `; on groups left out log loss ${quality.logLoss.toFixed(3)}, macro-F1 ${share(quality.macroF1)}`;
  const most = importance
    .filter(({ increase }) => increase > 0)
    .slice(0, 12)
    .map(({ feature, increase }) => `${feature} ${increase.toFixed(3)}`)
    .join(', ');
  return [
    `${name}: ${rows} queries of ${groups} groups; ${chosen}${held} (${model.hash.slice(0, 12)})`,
    ...(most === '' ? [] : [`log loss without knowing: ${most}`]),
  ].join('\n');
}

export function renderTiming({ decision: { n, p50, p95, max }, stages }: Timing): string {
  const medians = Object.entries(stages).map(([stage, { p50: own }]) => `${stage} ${ms(own)}`);
  return [
    `deciding, besides models and retrieval, one query at a time: p50 ${ms(p50)} ms, p95 ${ms(p95)} ms, worst ${ms(max)} ms (n = ${n})`,
    `p50 of the stages in ms: ${medians.join(', ')}`,
  ].join('\n');
}

/** Policies of the table over all sets, with the name that the table has for each. */
const OVERVIEW = {
  'always answer': 'always answer',
  "the paper's hard gate": 'hard gate',
  'thresholds behind all layers': 'thresholds',
  'shipped planner': 'shipped planner',
} as const;

/** One line a set: macro-F1 of each policy, then what it answers in vain. */
export function renderOverview(sets: readonly SetReport[], layout: Layout = table): string {
  const policies = Object.keys(OVERVIEW);
  const names = Object.values(OVERVIEW);
  const figuresOf = ({ rows }: SetReport, policy: string) =>
    rows.find((row) => row.policy === policy)?.figures ?? null;
  return layout(
    [
      'set',
      'n',
      ...names.map((name) => `macro-F1, ${name}`),
      ...names.slice(1).map((name) => `in vain, ${name}`),
    ],
    sets.map((set) => [
      set.set,
      String(set.rows[0]!.figures.n),
      ...policies.map((policy) => {
        const figures = figuresOf(set, policy);
        return figures === null ? '–' : of(figures.macroF1);
      }),
      ...policies.slice(1).map((policy) => share(figuresOf(set, policy)?.answeredInVain.value ?? null)),
    ]),
  );
}
