import type { Evaluation } from '../../evaluation/types.ts';
import { type Figure, framed, series } from './theme.ts';

export const COVERAGE = 0.8;

/** EM of the least uncertain 80 %; null where it was not measured. */
export function qualityOf({ rankings }: Evaluation): number | null {
  const at = rankings[0]?.selective.find(({ coverage }) => coverage === COVERAGE);
  return at?.em.value ?? null;
}

const UNITS = {
  docsScored: 'passages handed over',
  rerankPairs: 'pairs re-ranked',
  nliPairs: 'entailment pairs',
  contextTokens: 'word pieces read',
  ms: 'milliseconds',
} as const;

export interface Spending {
  name: string;
  unit: string;
  spent: number;
  quality: number;
  /** No other spends less or as much and is better, nor less and as good. */
  frontier: boolean;
}

/** Quality against what one query spent in each unit, and who lies on the frontier. */
export function spendingOf(named: readonly { name: string; evaluation: Evaluation }[]): Spending[] {
  return Object.entries(UNITS).flatMap(([unit, title]) => {
    const points = named.flatMap(({ name, evaluation }) => {
      const spent = evaluation.spent?.[unit]?.mean;
      const quality = qualityOf(evaluation);
      return spent === undefined || quality === null ? [] : [{ name, unit: title, spent, quality }];
    });
    return points.map((point) => ({
      ...point,
      frontier: !points.some(
        (other) =>
          other.spent <= point.spent &&
          other.quality >= point.quality &&
          (other.spent < point.spent || other.quality > point.quality),
      ),
    }));
  });
}

/** One panel a unit; the line goes along what nobody beats. */
export function frontier(named: readonly { name: string; evaluation: Evaluation }[]): Figure {
  const points = spendingOf(named);
  const names = named.map(({ name }) => name);
  const qualities = points.map(({ quality }) => quality);
  const room = 0.02 + 0.1 * (Math.max(...qualities) - Math.min(...qualities));
  const domain = [Math.max(0, Math.min(...qualities) - room), Math.min(1, Math.max(...qualities) + room)];
  const { color, shape } = series(names, 'name');
  const x = {
    field: 'spent',
    type: 'quantitative',
    title: null,
    scale: { zero: false, nice: true, padding: 14 },
    axis: { tickCount: 4 },
  };
  const y = {
    field: 'quality',
    type: 'quantitative',
    title: `EM at ${COVERAGE * 100} % coverage`,
    scale: { domain, nice: false },
    axis: { format: '.2f', tickCount: 5 },
  };
  return {
    name: 'frontier',
    title: 'Quality against budget',
    caption: `EM of the least uncertain ${COVERAGE * 100} % against the mean that one query spent. The line joins what nobody beats: less spent, or better. Up and left is better.`,
    spec: framed({
      data: { values: points },
      facet: {
        field: 'unit',
        type: 'nominal',
        title: null,
        sort: Object.values(UNITS),
        header: { labelFontSize: 13, labelFontWeight: 'bold' },
      },
      columns: 2,
      spacing: 24,
      resolve: { scale: { x: 'independent' }, axis: { x: 'independent' } },
      spec: {
        width: 185,
        height: 170,
        layer: [
          {
            transform: [{ filter: 'datum.frontier' }],
            mark: { type: 'line', interpolate: 'step-after', color: '#777777', strokeWidth: 2 },
            encoding: { x, y, order: { field: 'spent' } },
          },
          {
            mark: { type: 'point', filled: true, size: 110, opacity: 1 },
            encoding: { x, y, color, shape },
          },
        ],
      },
    }),
  };
}
