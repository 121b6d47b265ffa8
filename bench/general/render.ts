import { CAUTIOUS } from '../../router/index.ts';
import { markdownTable, share, table, withInterval } from '../measure/table.ts';
import { BEFORE, PLAIN, SHIPPED } from './contenders.ts';
import type { Difference, Figures } from './evaluate.ts';
import type { Order, OrderOfSet } from './order.ts';
import type { Report } from './report.ts';

/** All of a report as text. */
export function renderGeneral(report: Report): string {
  return [
    sets(report),
    contenders(report),
    bySet(report),
    byAct(report),
    curve(report),
    ...report.tells.map(told),
    layers(report),
    spanGate(report),
    order(report),
    NOTES,
  ].join('\n\n');
}

const NOTES =
  'answered: of all questions; wrong: of what is answered, questions that nothing answers among them; useful: answered right, of\n' +
  'those that have an answer; in vain: answered, of those that have none; utility: right less wrong, a question. Means are over\n' +
  'sets, each counting alike. Whatever is fitted is fitted without the set that it is tried on.';

/** What the page needs of a report. */
export function pageReport({ contenders, bySet, curve, tells, order }: Report) {
  return {
    order,
    contenders,
    bySet,
    curve,
    tells: tells.map(({ what, scores }) => ({
      what,
      scores: scores.map(({ name, mean }) => ({ name, mean })),
    })),
  };
}

/** For a page: the rules beside each other, by set, by caution, and what tells right from wrong. */
export function generalMarkdown(report: ReturnType<typeof pageReport>): string {
  const { contenders, bySet, curve, tells, order } = report;
  const names = [...new Set(tells.flatMap(({ scores }) => scores.map(({ name }) => name)))];
  return [
    'Means over sets, at .5:',
    markdownTable(
      ['rule', ...FIGURES, `less "${PLAIN}"`, `less "${BEFORE}"`],
      contenders.map(({ name, figures, lessPlain, lessBefore }) => [
        name === SHIPPED ? `**${name} (shipped)**` : name,
        ...cells(figures),
        ...[lessPlain, lessBefore].map(({ mean, byGroup }) => withInterval(mean, byGroup)),
      ]),
    ),
    'What is shipped, by `--cautious`:',
    markdownTable(
      ['cautious', ...FIGURES],
      curve.map(({ cautious, figures }) => [cautious.toFixed(2), ...cells(figures)]),
    ),
    `By the set that was left out, what is shipped, at ${CAUTIOUS}, and "${PLAIN}":`,
    markdownTable(
      ['set', 'n', ...['wrong', 'useful', 'in vain', 'utility'].flatMap((name) => [name, 'plain'])],
      bySet.map(({ set, figures }) => {
        const [own, plain] = [figures[SHIPPED]!, figures[PLAIN]!];
        const of = ({ risk, useful, falseAnswers, utility }: Figures) => [
          risk,
          useful,
          falseAnswers,
          utility,
        ];
        const beside = of(own).flatMap((value, i) => [share(value), share(of(plain)[i]!)]);
        return [set, String(own.n), ...beside];
      }),
    ),
    'AUROC, mean over sets:',
    markdownTable(
      ['', ...tells.map(({ what }) => what)],
      names.map((name) => [
        name,
        ...tells.map(({ scores }) => share(scores.find((score) => score.name === name)?.mean ?? null)),
      ]),
    ),
    `The first passage, as it stands, is right, by the set that was left out; on all sets together the fit is ${weightText(order.weight)}:`,
    markdownTable(...orderTable(order)),
    'The same, mean over sets, by what the fused score weighs:',
    markdownTable(...weightTable(order)),
  ].join('\n\n');
}

function sets({ sets }: Report): string {
  const rows = sets.map(({ name, n, answerable, ...right }) => [
    name,
    `${n}`,
    `${answerable}`,
    share(right.span),
    share(right.passage),
    share(right.first),
  ]);
  return table(
    ['set', 'questions', 'with an answer', 'best span right', 'passage in its form', 'passage as it stands'],
    rows,
  );
}

const FIGURES = ['answered', 'wrong', 'useful', 'in vain', 'utility'];

function cells({ coverage, risk, useful, falseAnswers, utility }: Figures): string[] {
  return [coverage, risk, useful, falseAnswers, utility].map(share);
}

function less({ mean, byGroup, bySet }: Difference): string[] {
  return [withInterval(mean, byGroup), bySet === null ? '' : `[${share(bySet.low)}, ${share(bySet.high)}]`];
}

function contenders({ contenders }: Report): string {
  const rows = contenders.map(({ name, figures, lessPlain, lessBefore }) => [
    name === SHIPPED ? `${name} (shipped)` : name,
    ...cells(figures),
    ...less(lessPlain),
    ...less(lessBefore),
  ]);
  const header = ['rule', ...FIGURES, `less "${PLAIN}"`, 'by set', `less "${BEFORE}"`, 'by set'];
  return table(header, rows);
}

function bySet({ bySet }: Report): string {
  const names = [SHIPPED, PLAIN, BEFORE];
  const rows = bySet.flatMap(({ set, figures }) =>
    names.map((name, i) => [
      i === 0 ? set : '',
      i === 0 ? `${figures[name]!.n}` : '',
      name,
      ...cells(figures[name]!),
    ]),
  );
  return table(['set left out', 'n', 'rule', ...FIGURES], rows);
}

function byAct({ byAct }: Report): string {
  const names = [SHIPPED, PLAIN, BEFORE];
  const rows = byAct.flatMap(({ act, figures }) =>
    names.map((name, i) => [
      i === 0 ? act : '',
      i === 0 ? `${figures[name]!.n}` : '',
      name,
      ...cells(figures[name]!),
    ]),
  );
  return table(['act', 'n', 'rule', ...FIGURES], rows);
}

function curve({ curve }: Report): string {
  const rows = curve.map(({ cautious, figures }) => [cautious.toFixed(2), ...cells(figures)]);
  return table(['cautious', ...FIGURES], rows);
}

function told({ what, scores }: Report['tells'][number]): string {
  const sets = Object.keys(scores[0]?.bySet ?? {});
  const rows = scores.map(({ name, bySet, mean, pooled }) => [
    name,
    share(mean),
    share(pooled),
    ...sets.map((set) => share(bySet[set] ?? null)),
  ]);
  return table([`AUROC: ${what}`, 'mean', 'pooled', ...sets], rows);
}

function layers({ closings }: Report): string {
  const row = ({ name, set, closes, held, right, wrong }: (typeof closings)[number]) => [
    name,
    set,
    ...[closes, held, right, wrong].map(String),
  ];
  const sums = [...new Set(closings.map(({ name }) => name))].map((name) => {
    const own = closings.filter((each) => each.name === name);
    const sum = (of: 'closes' | 'held' | 'right' | 'wrong') =>
      own.reduce((total, each) => total + each[of], 0);
    return {
      name,
      set: 'all',
      closes: sum('closes'),
      held: sum('held'),
      right: sum('right'),
      wrong: sum('wrong'),
    };
  });
  return table(
    ['closed by', 'set', 'questions', 'passage right', `right that "${BEFORE}" would show`, 'wrong ones'],
    [...sums, ...closings].map(row),
  );
}

function spanGate({ spanGate }: Report): string {
  const rows = spanGate.map(({ set, closes, right }) => [set, `${closes}`, `${right}`]);
  return table(['gate about the span', 'spans closed', 'right ones'], rows);
}

function order({ order }: Report): string {
  const fit = `FUSED_WEIGHT, fitted on all sets: ${weightText(order.weight)}`;
  return [table(...orderTable(order)), table(...weightTable(order)), fit].join('\n\n');
}

function weightTable({ byWeight }: Order): [header: string[], rows: string[][]] {
  const row = ({ weight, first }: (typeof byWeight)[number]) => [`${weight}`, share(first)];
  return [['weight', 'first passage right'], byWeight.map(row)];
}

function orderTable({ sets, shipped }: Order): [header: string[], rows: string[][]] {
  const mean = (of: (first: OrderOfSet['first']) => number | null) => {
    const known = sets.flatMap(({ first }) => of(first) ?? []);
    return share(known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0) / known.length);
  };
  const header = [
    'set left out',
    'n',
    'relevance alone',
    `shipped (${shipped})`,
    'fitted on the others',
    'weight',
  ];
  return [
    header,
    [
      ...sets.map(({ set, n, fitted, first }) => [
        set,
        `${n}`,
        share(first.relevance),
        share(first.shipped),
        share(first.fitted),
        weightText(fitted),
      ]),
      [
        'mean',
        '',
        mean(({ relevance }) => relevance),
        mean(({ shipped }) => shipped),
        mean(({ fitted }) => fitted),
        '',
      ],
    ],
  ];
}

function weightText(weight: number | null): string {
  return weight === null ? '–' : weight.toFixed(1);
}
