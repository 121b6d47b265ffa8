/**
 * What all figures share. Every series differs by dash and shape as well as by colour: grey print loses nothing. There
 * are as many of each as have no divisor in common, so that of 56 series no two share a colour and a shape, a colour and
 * a dash, or a dash and a shape.
 */

/** A Vega-Lite specification; its type in the library takes the compiler seconds and adds nothing to a literal. */
export type Spec = Record<string, unknown>;

/** A figure: its file's name, what it shows in words (also for those who do not see it), and its specification. */
export interface Figure {
  name: string;
  title: string;
  caption: string;
  spec: Spec;
}

/** Okabe and Ito's colours (safe for the colour-blind), in an order of clearly different lightness. */
const COLOURS = ['#000000', '#D55E00', '#0072B2', '#56B4E9', '#009E73', '#CC79A7', '#E69F00', '#777777'];
const DASHES = [
  [1, 0],
  [7, 3],
  [2, 2],
  [9, 3, 2, 3],
  [4, 2],
  [12, 3],
  [1, 3],
  [6, 2, 1, 2, 1, 2],
  [15, 3, 4, 3],
];
const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right'];

const WIDTH = 430;

/** Frame of every figure: no network, no script, one font that is everywhere, as wide as a phone can show. */
export function framed(spec: Spec): Spec {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: '#ffffff',
    // A facet has panels with a width of their own.
    ...('facet' in spec ? {} : { width: WIDTH }),
    padding: 8,
    ...spec,
    config: {
      font: 'sans-serif',
      axis: {
        labelFontSize: 13,
        titleFontSize: 13,
        titleFontWeight: 'normal',
        gridColor: '#e4e4e4',
        titlePadding: 8,
      },
      legend: {
        labelFontSize: 13,
        titleFontSize: 13,
        symbolSize: 90,
        symbolStrokeWidth: 2,
        labelLimit: 280,
        orient: 'bottom',
        columns: 2,
        direction: 'horizontal',
        columnPadding: 16,
      },
      text: { fontSize: 13 },
      view: { stroke: '#999999' },
    },
  };
}

/** Colour, dash and shape for series named `field`, in the order given; each has its own cycle. */
export function series(names: readonly string[], field = 'series') {
  const cycle = <T>(values: readonly T[]) => names.map((_, place) => values[place % values.length]!);
  // Without an outline: it would take on the dash of the line.
  const legend = { title: null, symbolSize: 110, symbolStrokeWidth: 0 };
  return {
    color: { field, type: 'nominal', scale: { domain: names, range: cycle(COLOURS) }, legend },
    // Shapes and colours have the legend; a dash drawn around a shape would only blur it.
    strokeDash: {
      field,
      type: 'nominal',
      scale: { domain: names, range: cycle(DASHES) },
      legend: null,
    },
    shape: { field, type: 'nominal', scale: { domain: names, range: cycle(SHAPES) }, legend },
  };
}

/** An axis in per cent from 0 to 1, or up to `top`. */
export function percent(field: string, title: string, top = 1): Spec {
  return {
    field,
    type: 'quantitative',
    title,
    scale: { domain: [0, top], nice: false },
    axis: { format: '.0%', tickCount: 6 },
  };
}

/** A round top for an axis of shares, a little above the largest value. */
export function topFor(values: readonly (number | null)[]): number {
  const largest = Math.max(0.05, ...values.flatMap((value) => value ?? []));
  const step = largest > 0.4 ? 0.1 : 0.05;
  return Math.min(1, Math.ceil((largest * 1.05) / step) * step);
}
