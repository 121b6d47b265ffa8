import { type Figure, framed, series } from '../../calibration/index.ts';
import type { LatencyReport } from './render.ts';

const LINES = [
  ['response p99', 'response', 'p99'],
  ['response p95', 'response', 'p95'],
  ['response p50', 'response', 'p50'],
  ['service p95', 'service', 'p95'],
] as const;

/** Latency over rate, a panel for each kind of arrivals. */
export function figuresOf({
  sweeps,
  responseFactor,
}: Pick<LatencyReport, 'sweeps' | 'responseFactor'>): Figure[] {
  const values = sweeps.flatMap(({ arrivals, sweep }) =>
    sweep.rates.flatMap(({ rate, all }) =>
      LINES.flatMap(([name, kind, percentile]) => {
        const value = all[kind][percentile];
        // A logarithmic axis has no place for 0.
        return value === null || value <= 0 ? [] : [{ arrivals, rate, series: name, ms: value }];
      }),
    ),
  );
  const knees = sweeps.flatMap(({ arrivals, sweep }) =>
    sweep.knee === null ? [] : [{ arrivals, knee: sweep.knee }],
  );
  const { color, shape, strokeDash } = series(LINES.map(([name]) => name));
  const x = {
    field: 'rate',
    type: 'quantitative',
    title: 'queries a second, offered',
    scale: { zero: true },
  };
  const y = {
    field: 'ms',
    type: 'quantitative',
    title: 'milliseconds',
    scale: { type: 'log', nice: true },
    axis: { tickCount: 5 },
  };
  const all = [...values, ...knees];
  return [
    {
      name: 'latency',
      title: 'Latency by rate',
      caption: `Open loop: response from the intended start, service from being taken up. The vertical line is the knee, the last rate at which 95 % of the responses were within ${responseFactor} times what they were at best.`,
      spec: framed({
        data: { values: all },
        facet: { field: 'arrivals', type: 'nominal', title: null, header: { labelFontSize: 13 } },
        columns: 2,
        spacing: 24,
        spec: {
          width: 250,
          height: 260,
          layer: [
            {
              transform: [{ filter: 'isValid(datum.knee)' }],
              mark: { type: 'rule', strokeWidth: 1.5, color: '#777777' },
              encoding: { x: { ...x, field: 'knee' } },
            },
            {
              transform: [{ filter: 'isValid(datum.ms)' }],
              mark: { type: 'line', strokeWidth: 2 },
              encoding: { x, y, color, strokeDash },
            },
            {
              transform: [{ filter: 'isValid(datum.ms)' }],
              mark: { type: 'point', filled: true, size: 70, opacity: 1 },
              encoding: { x, y, color, shape },
            },
          ],
        },
      }),
    },
  ];
}
