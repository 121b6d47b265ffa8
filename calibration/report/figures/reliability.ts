import type { Evaluation } from '../../evaluation/types.ts';
import { type Figure, framed, percent, series } from './theme.ts';

/** Stated against realised: 1 - U of bins of equal mass and the share of each that is right. */
export function reliabilityDiagram({ reliability, settings }: Evaluation): Figure {
  const sets = { 'open gates': reliability.measured, answered: reliability.answered };
  const names = Object.keys(sets);
  const points = Object.entries(sets).flatMap(([name, { bins }]) =>
    bins.map(({ confidence, right, exact, n }) => ({
      series: name,
      confidence,
      right,
      n,
      low: exact?.low ?? right,
      high: exact?.high ?? right,
    })),
  );
  const { color, shape } = series(names);
  const x = percent('confidence', `Stated: ${reliability.name}`);
  const y = percent('right', 'Realised: share right');
  return {
    name: 'reliability',
    title: 'Reliability',
    caption: `${reliability.about} At most ${settings.bins} bins of equal mass, none with a tie cut in two; on the dashed line a bin is right as often as it says. Vertical bars: exact ${settings.level * 100} % intervals.`,
    spec: framed({
      width: 360,
      height: 360,
      layer: [
        {
          data: { values: [{ at: 0 }, { at: 1 }] },
          mark: { type: 'line', strokeDash: [5, 4], color: '#777777' },
          encoding: { x: percent('at', ''), y: percent('at', '') },
        },
        {
          data: { values: points },
          mark: { type: 'rule', strokeWidth: 1.2, opacity: 0.8 },
          encoding: { x, y: percent('low', ''), y2: { field: 'high' }, color },
        },
        {
          data: { values: points },
          mark: { type: 'point', filled: true, size: 75, opacity: 1, stroke: '#ffffff', strokeWidth: 0.8 },
          encoding: { x, y, color, shape },
        },
      ],
    }),
  };
}
