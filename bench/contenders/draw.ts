/** Figures of one set, each with a table of the same numbers. Pure. */
import { type Figure, framed, overCoverage, series } from '../../calibration/index.ts';
import type { TabledFigure } from '../figures/selective.ts';
import { ms, share } from '../measure/table.ts';
import { NOISE } from './arms.ts';
import { BASE, type Curve, noiseName, READER, type SetReport } from './report.ts';

/** What each figure over coverage is of. */
const OVER_COVERAGE: readonly {
  name: string;
  title: string;
  axis: string;
  caption: string;
  of: 'em' | 'f1' | 'unsupported';
  contenders: readonly string[];
}[] = [
  ...(['em', 'f1'] as const).map((of) => ({
    name: of,
    title: `${of.toUpperCase()} of what is answered`,
    axis: `${of.toUpperCase()} of answered`,
    caption:
      'Answered are the least uncertain first, in the order that each threshold gives from strict to lax.',
    of,
    contenders: [BASE, 'by act, tau per act', READER, 'learned, one tau', 'top score of retrieval'],
  })),
  {
    name: 'unsupported',
    title: 'Unsupported answers',
    axis: '1 - SCR of answered',
    caption: "Share of the claim's content words that its passage does not hold; lower is better.",
    of: 'unsupported',
    contenders: [BASE, 'by act, tau per act', READER],
  },
  {
    name: 'signals',
    title: 'U without a signal',
    axis: 'EM of answered',
    caption: 'Weights fitted anew without the signal.',
    of: 'em',
    contenders: [BASE, 'without D', 'without C', 'without E'],
  },
  {
    name: 'noise',
    title: 'Wrong acts',
    axis: 'EM of answered',
    caption: 'By act with a tau per act, while a share of the questions is taken for another act.',
    of: 'em',
    contenders: NOISE.filter((share) => [0, 0.15, 0.4].includes(share)).map(noiseName),
  },
];

export function contenderFigures(report: SetReport): TabledFigure[] {
  const figures = OVER_COVERAGE.flatMap(({ contenders, of, axis, ...figure }): TabledFigure[] => {
    const curves = contenders.flatMap((name) => report.curves.find((curve) => curve.name === name) ?? []);
    if (curves.length === 0) return [];
    const points = ({ points: own }: Curve) =>
      own.map((point) => ({ coverage: point.coverage, value: point[of] }));
    const named = curves.map((curve) => ({ name: curve.name, points: points(curve) }));
    return [
      {
        figure: overCoverage(named, axis, { ...figure, name: nameFor(report, figure.name) }),
        head: ['coverage', ...named.map(({ name }) => name)],
        rows: named[0]!.points.map(({ coverage }, place) => [
          coverage.toFixed(1),
          ...named.map((each) => share(each.points[place]!.value)),
        ]),
      },
    ];
  });
  return [...figures, ...latency(report)];
}

function nameFor({ set }: SetReport, name: string): string {
  return `contenders-${set}-${name}`;
}

/** EM at the level of coverage against processor time, both policies under each budget. */
function latency(report: SetReport): TabledFigure[] {
  const points = report.rows.flatMap(({ name, family, arm, bar, judged: { orders, costs } }) => {
    const wanted = bar === 'tuned' && (family === 'settings' || name === BASE || name === 'by act, one tau');
    const { ms: taken } = costs.all;
    if (!wanted || taken === null || orders?.EM.value == null) return [];
    return [
      { name: arm, policy: arm.startsWith('act') ? 'by act' : 'uniform', ms: taken, em: orders.EM.value },
    ];
  });
  if (points.length === 0) return [];
  const { color, shape } = series(['uniform', 'by act'], 'policy');
  const number = (field: string, title: string) => ({
    field,
    type: 'quantitative',
    title,
    scale: { zero: false, nice: true, padding: 12 },
  });
  const figure: Figure = {
    name: nameFor(report, 'latency'),
    title: 'Accuracy and latency',
    caption: `EM of the least uncertain ${report.aims.level} against milliseconds of processor time a question, all threads together; one threshold.`,
    spec: framed({
      height: 300,
      data: { values: points },
      mark: { type: 'point', filled: true, size: 90, opacity: 1 },
      encoding: {
        x: number('ms', 'ms of the processor a question'),
        y: number('em', `EM at ${report.aims.level}`),
        color,
        shape,
      },
    }),
  };
  return [
    {
      figure,
      head: ['policy and budget', 'ms', `EM at ${report.aims.level}`],
      rows: points.map((point) => [point.name, ms(point.ms), share(point.em)]),
    },
  ];
}
