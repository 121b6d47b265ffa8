import { markdownTable, ms, share, table, withInterval } from '../measure/table.ts';
import { CONTENDERS } from './asked.ts';
import type { Figure, Figures, Report } from './report.ts';

type Column = [head: string, of: (figures: Figures) => string];

const cell = ({ value, interval, of }: Figure): string => (of === 0 ? '–' : withInterval(value, interval));
const bare = ({ value }: Figure): string => share(value);
const count = (value: number | null): string => (value === null ? '–' : value.toFixed(0));

const MARKED: readonly Column[] = [
  ['useful', ({ useful }) => cell(useful)],
  ['wrong', ({ wrong }) => cell(wrong)],
  ['silence', ({ silence }) => cell(silence)],
  ['question', ({ question }) => cell(question)],
  ['false', ({ falseAnswer }) => cell(falseAnswer)],
  ['asked back', ({ askedBack }) => cell(askedBack)],
  ['words', ({ words }) => count(words.median)],
];

const GOLD: readonly Column[] = [
  ['F1', ({ f1 }) => cell(f1)],
  ['F1 >= .35', ({ useful }) => bare(useful)],
  ['recall', ({ recall }) => cell(recall)],
  ['verdict', ({ verdict }) => cell(verdict)],
  ['false', ({ falseAnswer }) => cell(falseAnswer)],
  ['answered', ({ answered }) => bare(answered)],
  ['asked', ({ question }) => bare(question)],
  ['silent', ({ silence }) => bare(silence)],
  ['words', ({ words }) => count(words.median)],
  ['mean', ({ words }) => count(words.mean)],
];

/** Whether a difference is told: words shared with an expert's answer, or what was judged by hand. */
const isOf = (marked: boolean, figure: Report['differences'][number]['figure']): boolean =>
  marked !== (figure === 'f1');

/** One collection's figures, or those of several together, as tables. */
export function renderDocuments(report: Report): string {
  const { collection, about, half, marked, contenders, groups } = report;
  const columns = marked ? MARKED : GOLD;
  const line = (name: string, figures: Figures) => [
    name,
    String(figures.n),
    ...columns.map(([, of]) => of(figures)),
  ];
  const head = (first: string) => [first, 'n', ...columns.map(([name]) => name)];
  const parts = (first: string, given: Report['byAct']) =>
    given.length < 2
      ? []
      : [
          '',
          table(
            head(first),
            given.flatMap((part) =>
              (marked ? (['product', 'plain rule'] as const) : CONTENDERS).map((contender, place) =>
                line(place === 0 ? part.name : `  ${contender}`, part.contenders[contender]),
              ),
            ),
          ),
        ];
  return [
    `== ${collection}, ${half} half: ${about}; ${contenders.product.n} questions of ${groups} groups`,
    '',
    table(
      head('contender'),
      CONTENDERS.map((name) => line(name, contenders[name])),
    ),
    ...parts('by act', report.byAct),
    ...parts('by kind', report.byKind),
    ...(report.byForm.length === 0
      ? []
      : [
          '',
          table(
            head('by form shown'),
            report.byForm.map(({ name, figures }) => line(name, figures)),
          ),
        ]),
    '',
    table(
      ['product less', 'figure', 'n', 'difference', 'higher', 'lower'],
      [
        ...report.differences,
        ...(report.change ?? []).map((one) => ({ less: 'the run before', ...one })),
      ].flatMap(({ less, figure, difference }) =>
        isOf(marked, figure)
          ? [
              [
                less,
                figure,
                String(difference.n),
                withInterval(difference.mean, difference.interval),
                String(difference.aHigher),
                String(difference.bHigher),
              ],
            ]
          : [],
      ),
    ),
    '',
    `ms of a query: p50 ${ms(report.ms.p50)}, p90 ${ms(report.ms.p90)}`,
  ].join('\n');
}

/** What the pages need of a report; by act and kind only where several collections are taken together. */
export function pageReport({ byForm: _, change: __, byAct, byKind, ...report }: Report) {
  const together = report.collection === 'together';
  return { ...report, byAct: together ? byAct : [], byKind: together ? byKind : [] };
}

/** For a page: of collections that are marked by hand, all together; of the television's manual, its own figures. */
export function documentsMarkdown(reports: readonly ReturnType<typeof pageReport>[]): string {
  return reports
    .filter(({ collection, marked }) => !marked || collection === 'together' || reports.length === 1)
    .map((report) => {
      const { collection, half, marked, contenders, byAct, byKind, differences } = report;
      const parts = collection === 'together' ? reports.filter((one) => one.marked && one !== report) : [];
      const columns = marked ? MARKED : GOLD;
      const less = differences
        .filter(({ figure }) => isOf(marked, figure))
        .map(({ less, figure, difference }) => [
          less,
          figure,
          withInterval(difference.mean, difference.interval),
        ]);
      return [
        `${parts.length > 0 ? parts.map((one) => one.collection).join(', ') : collection}, the ${half} half, ${contenders.product.n} questions:`,
        markdownTable(
          ['shown', ...columns.map(([name]) => name)],
          CONTENDERS.map((name) => [name, ...columns.map(([, of]) => of(contenders[name]))]),
        ),
        'The product less each other:',
        markdownTable(['less', 'figure', 'difference'], less),
        ...(byAct.length === 0 ? [] : [besidePlain('act', byAct)]),
        ...(byKind.length === 0 ? [] : [kindsBesidePlain(byKind)]),
        ...(parts.length === 0
          ? []
          : [
              besidePlain(
                'collection',
                parts.map((one) => ({ ...one, name: one.collection })),
              ),
            ]),
      ].join('\n\n');
    })
    .join('\n\n');
}

function besidePlain(
  what: string,
  parts: readonly Pick<Report['byAct'][number], 'name' | 'contenders'>[],
): string {
  return markdownTable(
    [what, 'n', 'useful', 'plain rule', 'wrong', 'plain rule', 'words', 'plain rule'],
    parts.map(({ name, contenders: { product, 'plain rule': plain } }) => [
      name,
      String(product.n),
      ...[product.useful, plain.useful, product.wrong, plain.wrong].map(bare),
      ...[product, plain].map(({ words }) => count(words.median)),
    ]),
  );
}

/** Of each kind what is due: an answer, silence or a question back. */
function kindsBesidePlain(kinds: Report['byKind']): string {
  return markdownTable(
    [
      'kind',
      'n',
      'useful',
      'plain rule',
      'wrong',
      'plain rule',
      'false',
      'plain rule',
      'asked back',
      'plain rule',
    ],
    kinds.map(({ name, contenders: { product, 'plain rule': plain } }) => [
      name,
      String(product.n),
      ...(['useful', 'wrong', 'falseAnswer', 'askedBack'] as const).flatMap((figure) =>
        [product, plain].map((one) => (one[figure].of === 0 ? '–' : bare(one[figure]))),
      ),
    ]),
  );
}

/** How to read the tables. */
export const NOTES = [
  'Brackets: 95 %, percentile bootstrap by group (section, policy, page; a question is its own group where its set names none).',
  'useful, silence (needless) and question (needless): of answerable questions. wrong: wrong answers, and answers where a question back was due, of all. false: answered, of what nothing answers. asked back: of underspecified ones. words: median of what is shown.',
  'plain rule: identifier and term layers, then a relevance of at least .5, then the best passage. Contenders see the same run; all show nothing where the router retrieves nothing.',
];
