import { ACTIONS } from '../../router/index.ts';
import { asPage, type Layout, markdownTable, share, table, withInterval } from '../measure/table.ts';
import { BAR, type Report, type SetReport } from './report.ts';

/** Contenders that have a column of their own where every set is a line. */
const COLUMNS = [
  'general rule, as shipped',
  'thresholds, fitted',
  'planner, pooled',
  'planner, same signs',
  'same signs, prior estimated',
] as const;

/** Everything, for a terminal. */
export function renderCarryOver(report: Report): string {
  return [totals(report, table), NOTES, ...report.sets.map((set) => block(set)), signs(report)].join('\n\n');
}

/** Means first, then a line a set: the part of a page. */
export function carryOverMarkdown(report: Report): string {
  return asPage([totals(report, markdownTable), NOTES, overview(report.sets), signs(report)].join('\n'));
}

function totals({ totals: rows, utilities: { wrong, question, silence } }: Report, layout: Layout): string {
  const counted = Math.max(0, ...rows.map(({ sets }) => sets));
  return [
    `== Each set left out once: means over ${counted} sets in which two actions or more are right`,
    `Costs: wrong ${wrong}, question ${question}, silence ${silence}.`,
    '',
    layout(
      [
        'contender',
        'macro-F1',
        'ABSTAIN recall',
        'in vain',
        'least margin',
        'where',
        'open mix',
        'its ABSTAIN',
        'bar',
      ],
      rows.map((row) => [
        `${row.contender}${row.fixed ? '' : ' *'}`,
        withInterval(row.macroF1.value, row.macroF1.interval),
        share(row.abstainRecall),
        share(row.answeredInVain),
        row.least === null ? '–' : signed(row.least.margin),
        row.least?.set ?? '–',
        share(row.open?.macroF1 ?? null),
        share(row.open?.abstainRecall ?? null),
        row.passes === null ? '–' : row.passes ? 'met' : 'missed',
      ]),
    ),
  ].join('\n');
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${share(Math.abs(value))}`;
}

const NOTES = [
  '* fitted on the tuning halves of the sets that share no source with the one left out; the others are fixed.',
  'Least margin: macro-F1 less that of the best fixed contender, on the set where it is least.',
  `Bar: mean macro-F1 >= ${BAR.macroF1}, least margin >= ${BAR.margin}, on the open mix macro-F1 >= ${BAR.open.macroF1} at an`,
  `ABSTAIN recall >= ${BAR.open.abstainRecall}. In vain: of all queries, those answered though another action is right. 95 % intervals:`,
  'percentile bootstrap, 1,000 resamples, over groups within a set, over sets for a mean.',
].join('\n');

function block({ set, about, n, groups, gold, sources, fittedOn, planner, rows }: SetReport): string {
  const due = ACTIONS.map((action) => `${action} ${gold[action]}`).join(', ');
  const fitted =
    fittedOn === null
      ? 'Too little is left to fit anything on.'
      : `Fitted on ${fittedOn.rows} queries of ${fittedOn.sets.length} sets, without ${sources.join(', ')}; ` +
        `${planner!.features} features of the same sign, ${planner!.turned.length} turn theirs; ridge ${planner!.ridge}, ` +
        `variance over sets ${planner!.variance.toFixed(3)}.`;
  return [
    `== ${set}: ${about}`,
    `${n} queries of ${groups} groups: ${due}. ${fitted}`,
    '',
    table(
      ['contender', 'macro-F1', 'ABSTAIN recall', 'ASK recall', 'in vain', 'prior'],
      rows.map(({ contender, fixed, macroF1, abstainRecall, askRecall, answeredInVain, prior }) => [
        `${contender}${fixed ? '' : ' *'}`,
        withInterval(macroF1.value, macroF1.interval),
        share(abstainRecall),
        share(askRecall),
        share(answeredInVain),
        prior === null ? '' : ACTIONS.map((action) => prior[action].toFixed(2)).join(' '),
      ]),
    ),
  ].join('\n');
}

function overview(sets: readonly SetReport[]): string {
  const rowOf = ({ rows }: SetReport, name: string) => rows.find(({ contender }) => contender === name);
  return [
    'Every set, fitted without it: macro-F1, and ABSTAIN recall behind the stroke.',
    '',
    markdownTable(
      ['set', 'n', 'best fixed contender', ...COLUMNS],
      sets.map((set) => [
        set.set,
        String(set.n),
        set.best === null ? '(one action)' : `${set.best.contender} ${share(set.best.macroF1)}`,
        ...COLUMNS.map((name) => {
          const row = rowOf(set, name);
          if (row === undefined) return '–';
          const { macroF1, abstainRecall } = row;
          return `${withInterval(macroF1.value, macroF1.interval)} / ${share(abstainRecall)}`;
        }),
      ]),
    ),
  ].join('\n');
}

/** Which features mean another thing in another set. */
function signs({ signs: found }: Report): string {
  if (found === null) return 'Too few sets to see whether features mean the same in them.';
  const { stable, turned, unclear } = found;
  const names = turned.map(
    (each) =>
      `${each.feature} (${each.action} rather than ${each.than}: for in ${each.for.join(', ')}, against in ${each.against.join(', ')})`,
  );
  return [
    `On all sets ${stable.length} features keep their sign: ${stable.join(', ') || 'none'}.`,
    `Left out because it turns: ${names.join('; ') || 'none'}.`,
    `Left out because fewer than two sets show it: ${unclear.join(', ') || 'none'}.`,
  ].join('\n');
}
