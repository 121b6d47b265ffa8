import type { Evaluation } from '../../evaluation/types.ts';
import { type Figure, framed, percent, type Spec, topFor } from './theme.ts';

const PARTS = { reader: 'reader: best order possible', ranking: 'ranking: E-AURC' } as const;

/** AURC of each order, split into what the reader's errors cost in any order and what the ranking adds. */
export function areaBars(
  rows: readonly { name: string; aurc: Evaluation['rankings'][number]['losses']['wrong'] }[],
  figure: Pick<Figure, 'name' | 'title'>,
): Figure {
  const names = rows.map(({ name }) => name);
  const parts = rows
    .flatMap(({ name, aurc: { oracle, excess } }) => [
      { name, part: PARTS.reader, start: 0, end: oracle.value },
      { name, part: PARTS.ranking, start: oracle.value, end: (oracle.value ?? 0) + (excess.value ?? 0) },
    ])
    .filter(({ end }) => end !== null);
  const whiskers = rows.flatMap(({ name, aurc: { aurc } }) =>
    aurc.interval === null ? [] : [{ name, low: aurc.interval.low, high: aurc.interval.high }],
  );
  const totals = rows.flatMap(({ name, aurc: { aurc } }) =>
    aurc.value === null
      ? []
      : [{ name, value: aurc.value, at: aurc.interval?.high ?? aurc.value, label: aurc.value.toFixed(3) }],
  );
  const top = topFor([...totals.map(({ at }) => at * 1.12), ...whiskers.map(({ high }) => high)]);
  const y = { field: 'name', type: 'nominal', sort: names, title: null, axis: { labelLimit: 0 } };
  const x = (field: string): Spec => ({
    ...percent(field, 'AURC', top),
    axis: { format: '.2f', tickCount: 6 },
  });
  return {
    ...figure,
    caption:
      'Area under the risk-coverage curve; lower is better. Light: what the errors of the reader cost in the best order possible. Dark: what the ranking adds (E-AURC). Whiskers: intervals by group.',
    spec: framed({
      width: 330,
      height: { step: 34 },
      layer: [
        {
          data: { values: parts },
          mark: { type: 'bar', height: 20, stroke: '#000000', strokeWidth: 0.8 },
          encoding: {
            y,
            x: x('start'),
            x2: { field: 'end' },
            color: {
              field: 'part',
              type: 'nominal',
              scale: { domain: Object.values(PARTS), range: ['#d9d9d9', '#0072B2'] },
              legend: { title: null, symbolType: 'square', columns: 1, labelLimit: 0 },
            },
          },
        },
        {
          data: { values: whiskers },
          mark: { type: 'rule', strokeWidth: 2 },
          encoding: { y, x: x('low'), x2: { field: 'high' } },
        },
        {
          data: { values: whiskers },
          mark: { type: 'tick', thickness: 2, size: 10, color: '#000000' },
          encoding: { y, x: x('low') },
        },
        {
          data: { values: whiskers },
          mark: { type: 'tick', thickness: 2, size: 10, color: '#000000' },
          encoding: { y, x: x('high') },
        },
        {
          data: { values: totals },
          mark: { type: 'text', align: 'left', dx: 8 },
          encoding: { y, x: x('at'), text: { field: 'label' } },
        },
      ],
    }),
  };
}

/** The orders of one evaluation side by side. */
export function ablation({ rankings }: Pick<Evaluation, 'rankings'>): Figure {
  return areaBars(
    rankings.map(({ name, losses }) => ({ name, aurc: losses.wrong })),
    { name: 'ablation', title: 'What each signal is worth' },
  );
}

/** U of each act: quantiles, with tau. */
export function uncertaintyByAct({ acts }: Pick<Evaluation, 'acts'>): Figure {
  const rows = acts
    .flatMap(({ act, n, tau, uncertainty }) =>
      uncertainty === null ? [] : [{ ...uncertainty, act: `${act} (${n})`, n, tau }],
    )
    .sort((a, b) => b.n - a.n);
  const y = {
    field: 'act',
    type: 'nominal',
    sort: rows.map(({ act }) => act),
    title: null,
    axis: { labelLimit: 0 },
  };
  const x = (field: string): Spec => ({ ...percent(field, 'U', 1), axis: { format: '.1f', tickCount: 6 } });
  return {
    name: 'uncertainty-by-act',
    title: 'U by predicted act',
    caption:
      'Of the queries with open gates: 5th to 95th percentile (line), quartiles (box), median (bar). Diamond: tau, up to which is answered; none where the act is never answered. In brackets: queries of the act.',
    spec: framed({
      width: 300,
      height: { step: 38 },
      data: { values: rows },
      layer: [
        { mark: { type: 'rule', strokeWidth: 1.5 }, encoding: { y, x: x('p5'), x2: { field: 'p95' } } },
        {
          mark: { type: 'bar', height: 18, color: '#bcd8ea', stroke: '#000000' },
          encoding: { y, x: x('p25'), x2: { field: 'p75' } },
        },
        { mark: { type: 'tick', thickness: 3, size: 18, color: '#000000' }, encoding: { y, x: x('p50') } },
        {
          transform: [{ filter: 'datum.tau !== null' }],
          mark: {
            type: 'point',
            shape: 'diamond',
            filled: true,
            size: 130,
            color: '#D55E00',
            opacity: 1,
            stroke: '#000000',
            strokeWidth: 1,
          },
          encoding: { y, x: x('tau') },
        },
      ],
    }),
  };
}
