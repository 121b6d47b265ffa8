/** The report of one set as text, or as a page's tables. */
import { type Layout, ms, share, table, withInterval } from '../measure/table.ts';
import { CERTIFIED_UNITS, type CertifiedUnit } from '../parity/certificate.ts';
import { contenderFigures } from './draw.ts';
import type { Costs, Estimate, Judged } from './judged.ts';
import type { Row, SetReport } from './report.ts';

const NAMES: Record<CertifiedUnit, string> = {
  docsScored: 'documents',
  rerankPairs: 'depth',
  contextTokens: 'tokens',
  nliPairs: 'NLI pairs',
  requests: 'requests',
  promptTokens: 'prompt tokens',
  generatedTokens: 'generated tokens',
  samplePairs: 'sample pairs',
};

const ABOUT: Record<Row['family'], string> = {
  thresholds: 'Thresholds and probabilities, on the same records',
  retrieval: 'Abstention by what retrieval says, nothing read before',
  signals: 'Signals of U left out, alone and weighed alike',
  noise: 'Wrong acts: by act, tau per act',
  settings: "The paper's settings of Table 1, and what they cost",
  ways: 'Other ways of answering, by their own score and one tau',
};

export function renderContenders(report: SetReport, layout: Layout = table): string {
  const { split, rows, aims } = report;
  const parts = Object.entries(split.splits).map(
    ([name, { examples, groups }]) => `${name} ${examples} of ${groups} groups`,
  );
  const families = (Object.keys(ABOUT) as Row['family'][]).filter((family) =>
    rows.some((row) => row.family === family),
  );
  return [
    `== ${report.set}: ${report.about}; ${report.questions} questions; split by group, seed ${split.seed}: ${parts.join(', ')}`,
    `Scores fitted on tune, thresholds set on calibrate for ${aims.level} answered (bounds: at most ${aims.risk} wrong, missed with a chance of ${aims.delta}); figures of test. Of all: one that is not answered counts 0.`,
    ...families.flatMap((family) => [
      '',
      `== ${ABOUT[family]}`,
      answered(ofFamily(rows, family), layout),
      '',
      `Less ${[...new Set(ofFamily(rows, family).flatMap(({ less }) => less?.than ?? []))].join(' or ')}, of the same questions. Equal compute: no unit of which one spent over 5 % more.`,
      compared(ofFamily(rows, family), layout),
      '',
      'Means of what one question cost, over the answered | over all; milliseconds of processor time over those that were timed:',
      costs(ofFamily(rows, family), layout),
    ]),
    ...(report.series.length === 0 ? [] : ['', ...series(report, layout)]),
    '',
    '== 1 - U as a probability of being right',
    layout(
      ['score', 'n', 'Brier', 'calibration error'],
      report.probabilities.map(({ name, n, ...each }) => [
        name,
        String(n),
        share(each.brier),
        share(each.error),
      ]),
    ),
    ...(report.targets === null ? [] : ['', ...targets(report.targets, aims.level, layout)]),
    '',
    '== Second reading',
    reflection(report),
    '',
    '== Acts that are predicted',
    layout(
      ['act', 'share'],
      report.acts.map((each) => [each.act, share(each.share)]),
    ),
    ...contenderFigures(report).flatMap(({ figure, head, rows: own }) => [
      '',
      `== ${figure.title}`,
      figure.caption,
      layout(head, own),
    ]),
    ...(report.remarks.length === 0 ? [] : ['', ...report.remarks.map((remark) => `remark: ${remark}`)]),
    '',
    'Intervals 95 %: coverage Clopper-Pearson, all else percentile bootstrap by group, 1,000 resamples. AURC: loss 1 - EM, less is better; EM and F1 there of the least uncertain share, whatever the threshold.',
  ].join('\n');
}

function ofFamily(rows: readonly Row[], family: Row['family']): Row[] {
  return rows.filter((row) => row.family === family);
}

const shown = ({ value, interval }: Estimate) => withInterval(value, interval);

function answered(rows: readonly Row[], layout: Layout): string {
  return layout(
    [
      'contender',
      'answered',
      'EM',
      'EM of all',
      'F1',
      'F1 of all',
      'unsupported',
      'AURC',
      'EM at level',
      'F1 at level',
    ],
    rows.map(({ name, judged: { coverage, tallies, orders, answered: n } }) => {
      const nothing: Estimate = { value: null, interval: null };
      return [
        n === 0 ? `${name} (no threshold)` : name,
        shown(coverage),
        shown(tallies['EM of answered']),
        shown(tallies['EM of all']),
        shown(tallies['F1 of answered']),
        shown(tallies['F1 of all']),
        shown(tallies.unsupported),
        ...(['AURC', 'EM', 'F1'] as const).map((name) => shown(orders?.[name] ?? nothing)),
      ];
    }),
  );
}

function compared(rows: readonly Row[], layout: Layout): string {
  const signed = (value: number | null) =>
    value === null ? '–' : `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
  const difference = ({ value, interval }: Estimate) => withInterval(value, interval, signed);
  return layout(
    [
      'contender',
      'equal compute',
      'answered',
      'EM',
      'EM of all',
      'F1 of all',
      'unsupported',
      'AURC',
      'EM at level',
      'F1 at level',
    ],
    rows.flatMap(({ name, less }) => {
      if (less === null) return [];
      const { figures, apart } = less;
      return [
        [
          name,
          apart.length === 0 ? 'yes' : `no: ${apart.map((unit) => NAMES[unit]).join(', ')}`,
          difference(figures.coverage),
          ...(['EM of answered', 'EM of all', 'F1 of all', 'unsupported', 'AURC', 'EM', 'F1'] as const).map(
            (key) => difference(figures[key]),
          ),
        ],
      ];
    }),
  );
}

/** Only units that some contender spends anything of. */
function costs(rows: readonly Row[], layout: Layout): string {
  const spentBy = CERTIFIED_UNITS.filter((unit) =>
    rows.some(({ judged }) => (judged.costs.all.spent?.[unit] ?? 0) > 0),
  );
  const both = (costs: Judged['costs'], of: (costs: Costs) => string) =>
    `${of(costs.answered)} | ${of(costs.all)}`;
  return layout(
    ['contender', ...spentBy.map((unit) => NAMES[unit]), 'ms', 'timed'],
    rows.map(({ name, judged }) => [
      name,
      ...spentBy.map((unit) =>
        both(judged.costs, ({ spent }) => (spent === null ? '–' : spent[unit].toFixed(1))),
      ),
      both(judged.costs, (each) => ms(each.ms)),
      String(judged.costs.all.timed),
    ]),
  );
}

function series({ series: rows }: SetReport, layout: Layout): string[] {
  return [
    "== The paper's series of abstention by retrieval (printed: .44, .23, .20 at R@10 .910, .910, .920)",
    'One threshold on the best fused score, uniform; that, agreement of the branches and contradiction weighed alike, by act; the same with a tau per act. Thresholds of the calibrate split, figures of test.',
    layout(
      ['step', 'threshold', 'abstained', 'R@1 of answered', 'R@10 of answered'],
      rows.map(({ name, aim, abstained, recall }) => [
        name,
        aim,
        shown(abstained),
        share(recall['R@1']),
        share(recall['R@10']),
      ]),
    ),
  ];
}

function targets(
  { draws, bars }: NonNullable<SetReport['targets']>,
  level: string,
  layout: Layout,
): string[] {
  return [
    `== How near to ${level} one threshold ends`,
    `Over ${draws} new divisions of what was not fitted on into a calibrate and a test half, by group.`,
    layout(
      ['threshold', 'answered', `distance from ${level}`],
      Object.entries(bars).map(([name, { coverage, off }]) => [name, share(coverage), share(off)]),
    ),
  ];
}

function reflection({ reflection: { n, changed, em } }: SetReport): string {
  return `It comes to another answer for ${share(changed)} of ${n} questions (printed for self-reflection in paper 000: .127); EM of the answers that stand ${share(em.same)}, of those that it would change ${share(em.changed)}.`;
}
