import type { Evaluation, Ranking } from '../../evaluation/types.ts';
import { type Figure, framed, percent, type Spec, series, topFor } from './theme.ts';

interface Point {
  series: string;
  coverage: number;
  value: number | null;
}

/** Lines over coverage with a shape at every tenth point, so that they can be told apart without colour. */
function lines(
  points: readonly Point[],
  names: readonly string[],
  title: string,
  extra: readonly Spec[] = [],
  top?: number,
): Spec {
  const known = points.filter(({ value }) => value !== null);
  const every = Math.max(1, Math.round(new Set(known.map(({ coverage }) => coverage)).size / 10));
  const { color, strokeDash, shape } = series(names);
  const x = percent('coverage', 'Coverage: least uncertain share that is answered');
  const y = percent('value', title, top ?? topFor(known.map(({ value }) => value)));
  const places = new Map(names.map((name, place) => [name, place]));
  const counts = new Map<string, number>();
  const marked = known.filter(({ series: name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    // Shifted from series to series: shapes of curves that run together stay apart.
    return (count + Math.round((every * places.get(name)!) / names.length)) % every === 0;
  });
  return framed({
    height: 300,
    data: { values: known },
    layer: [
      { mark: { type: 'line', strokeWidth: 2 }, encoding: { x, y, color, strokeDash } },
      {
        data: { values: marked },
        mark: { type: 'point', filled: true, size: 60, opacity: 1 },
        encoding: { x, y, color, shape },
      },
      ...extra,
    ],
  });
}

const pointsOf = (
  ranking: Ranking,
  value: (point: Ranking['curve'][number]) => number | null,
  name = ranking.name,
): Point[] => ranking.curve.map((point) => ({ series: name, coverage: point.coverage, value: value(point) }));

/** Orders that are ablations have a figure of their own. */
const isAblation = ({ name }: Ranking) => name.startsWith('without ');

/** Share of wrong answers among those given, as more and more is answered; where the thresholds stand is marked. */
export function riskCoverage({
  rankings,
  everything,
  answered,
  coverage,
  settings,
}: Pick<Evaluation, 'rankings' | 'everything' | 'answered' | 'coverage' | 'settings'>): Figure {
  const shown = rankings.filter((ranking) => !isAblation(ranking));
  const points = shown.flatMap((ranking) => pointsOf(ranking, ({ risk }) => risk));
  const error = everything.risk.value;
  const names = shown.map(({ name }) => name);
  if (error !== null) {
    names.push('best order possible');
    for (const at of rankings[0]?.curve ?? [])
      points.push({
        series: 'best order possible',
        coverage: at.coverage,
        value: Math.max(0, 1 - (1 - error) / at.coverage),
      });
  }
  const top = topFor(points.map(({ value }) => value));
  const bars = (shown[0]?.selective ?? []).flatMap(({ coverage: at, risk }) =>
    risk.interval === null
      ? []
      : [{ coverage: at, low: Math.min(top, risk.interval.low), high: Math.min(top, risk.interval.high) }],
  );
  const extra: Spec[] = [
    {
      data: { values: bars },
      mark: { type: 'rule', strokeWidth: 1.5, clip: true },
      encoding: { x: percent('coverage', ''), y: percent('low', '', top), y2: { field: 'high' } },
    },
  ];
  if (answered.risk.value !== null && coverage.value !== null) {
    const values = [
      { coverage: coverage.value, value: Math.min(top, answered.risk.value), label: 'thresholds' },
    ];
    const at = { x: percent('coverage', ''), y: percent('value', '', top) };
    const beside = coverage.value > 0.7 ? { align: 'right', dx: -8 } : { align: 'left', dx: 12 };
    extra.push(
      {
        data: { values },
        mark: {
          type: 'point',
          shape: 'diamond',
          size: 260,
          filled: true,
          color: '#ffffff',
          opacity: 1,
          stroke: '#000000',
          strokeWidth: 2.5,
        },
        encoding: at,
      },
      // Twice: white behind, so that curves do not cross the word.
      ...[{ stroke: '#ffffff', strokeWidth: 5 }, {}].map((halo) => ({
        data: { values },
        mark: { type: 'text', ...beside, dy: 16, fontWeight: 'bold', ...halo },
        encoding: { ...at, text: { field: 'label' } },
      })),
    );
  }
  return {
    name: 'risk-coverage',
    title: 'Risk and coverage',
    caption: `Share wrong among the answers given when the least uncertain are answered first; lower is better. Vertical bars: ${settings.level * 100} % intervals by group of the first curve. The diamond is where the thresholds stand. "Best order possible" is what these candidates would reach were their errors ranked perfectly: the room above it is the ranking's, the rest the reader's.`,
    spec: lines(points, names, 'Risk: wrong among answered', extra, top),
  };
}

/** EM and F1 of what is answered. */
export function selectiveAccuracy({ rankings }: Pick<Evaluation, 'rankings'>): Figure {
  const [own] = rankings;
  const points =
    own === undefined
      ? []
      : [
          ...pointsOf(own, ({ riskEm }) => less(riskEm), 'EM'),
          ...pointsOf(own, ({ riskF1 }) => less(riskF1), 'F1'),
        ];
  return {
    name: 'selective-accuracy',
    title: 'Selective EM and F1',
    caption:
      'Mean EM and F1 of the answers given when the least uncertain are answered first, closed gates last.',
    spec: lines(points, ['EM', 'F1'], 'EM, F1 of answered', [], 1),
  };
}

/** How much of what is answered is not supported. */
export function unsupported({ rankings }: Pick<Evaluation, 'rankings'>): Figure {
  const [own] = rankings;
  const names = ['tokens: 1 - SCR', 'entailment: 1 - E'];
  const points =
    own === undefined
      ? []
      : [
          ...pointsOf(own, ({ unsupportedTokens }) => unsupportedTokens, names[0]),
          ...pointsOf(own, ({ unsupportedEntailment }) => unsupportedEntailment, names[1]),
        ];
  return {
    name: 'unsupported',
    title: 'Unsupported answers',
    caption:
      "By tokens: share of the claim's content words that its passage does not hold. By entailment: one less the evidence's entailment of the claim. Lower is better.",
    spec: lines(points, names, 'Unsupported share'),
  };
}

/** The first curve of several evaluations of one test. */
export function comparedCurves(named: readonly { name: string; evaluation: Evaluation }[]): Figure {
  const points = named.flatMap(({ name, evaluation }) => {
    const [own] = evaluation.rankings;
    return own === undefined ? [] : pointsOf(own, ({ risk }) => risk, name);
  });
  return {
    name: 'compared-risk-coverage',
    title: 'Risk and coverage, compared',
    caption:
      'Share wrong among the answers given when the least uncertain are answered first, closed gates last; lower is better.',
    spec: lines(
      points,
      named.map(({ name }) => name),
      'Risk: wrong among answered',
    ),
  };
}

/** Any figure over coverage, a line for each name. `axis`: what is drawn. */
export function overCoverage(
  named: readonly { name: string; points: readonly { coverage: number; value: number | null }[] }[],
  axis: string,
  figure: Pick<Figure, 'name' | 'title' | 'caption'>,
): Figure {
  const points = named.flatMap(({ name, points: own }) => own.map((point) => ({ series: name, ...point })));
  return {
    ...figure,
    spec: lines(
      points,
      named.map(({ name }) => name),
      axis,
    ),
  };
}

function less(risk: number | null): number | null {
  return risk === null ? null : 1 - risk;
}
