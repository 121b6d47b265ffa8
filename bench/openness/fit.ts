/** The regression behind `router/layers/openness.ts`, and what it comes to on sets that it was not fitted on. Pure. */
import { fitLogistic } from '../../calibration/index.ts';
import { openness } from '../../router/layers/openness.ts';
import type { OpennessFeature, OpennessFit } from '../../router/layers/types.ts';

/** A question with what its words found. */
export interface Case {
  /** Collection that it is asked of. */
  set: string;
  /**
   * `open`: several things may be meant; `clear`: as short, but one thing is; `ordinary`: answerable, nobody looked for either;
   * `unanswerable`: nothing answers.
   */
  kind: 'open' | 'clear' | 'ordinary' | 'unanswerable';
  /** Whether what the product shows is what a person would take. */
  useful: boolean;
  features: Readonly<Record<OpennessFeature, number>>;
}

/** What is asked back at a bar; shares in [0, 1], null of none. */
export interface AtBar {
  bar: number;
  open: number | null;
  clear: number | null;
  ordinary: number | null;
  unanswerable: number | null;
  /** Of ordinary questions that the product answers usefully. */
  useful: number | null;
}

export interface OpennessReport {
  sets: ({ set: string } & Record<Case['kind'], number>)[];
  /** Each question judged by a fit on the other sets. */
  bars: AtBar[];
  fit: OpennessFit;
}

const RIDGE = 1;
const BARS = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7];
/** The lowest bar is taken that asks no more than these shares back, on sets left out. */
const MOST = { clear: 0.05, unanswerable: 0.1 };

/** Fits on all sets but one for each, chooses the bar there, and fits on all. Throws INTERNAL where a fit does not converge. */
export function opennessReport(cases: readonly Case[]): OpennessReport {
  const sets = [...new Set(cases.map(({ set }) => set))].sort();
  const judged = sets.flatMap((set) => {
    const fit = fitOn(cases.filter((each) => each.set !== set));
    const own = cases.filter((each) => each.set === set);
    return own.map((each) => ({ ...each, probability: openness(each.features, fit) }));
  });
  const bars = BARS.map((bar): AtBar => {
    const asked = (of: (each: Case) => boolean) => {
      const some = judged.filter(of);
      return some.length === 0
        ? null
        : some.filter(({ probability }) => probability >= bar).length / some.length;
    };
    return {
      bar,
      open: asked(({ kind }) => kind === 'open'),
      clear: asked(({ kind }) => kind === 'clear'),
      ordinary: asked(({ kind }) => kind === 'ordinary'),
      unanswerable: asked(({ kind }) => kind === 'unanswerable'),
      useful: asked(({ kind, useful }) => kind === 'ordinary' && useful),
    };
  });
  const chosen = bars.find(
    ({ clear, unanswerable }) => (clear ?? 0) <= MOST.clear && (unanswerable ?? 0) <= MOST.unanswerable,
  );
  return {
    sets: sets.map((set) => {
      const count = (kind: Case['kind']) =>
        cases.filter((each) => each.set === set && each.kind === kind).length;
      return {
        set,
        open: count('open'),
        clear: count('clear'),
        ordinary: count('ordinary'),
        unanswerable: count('unanswerable'),
      };
    }),
    bars,
    fit: { ...fitOn(cases), bar: (chosen ?? bars.at(-1)!).bar },
  };
}

/** Ridge regression on standardised features, its weights given for the features as they are. */
function fitOn(cases: readonly Case[]): Pick<OpennessFit, 'intercept' | 'weights'> {
  const names = Object.keys(cases[0]!.features).sort() as OpennessFeature[];
  const columns = names.map((name) => {
    const values = cases.map(({ features }) => features[name]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return { name, mean, scale: Math.sqrt(variance) || 1 };
  });
  const [intercept, ...weights] = fitLogistic({
    rows: cases.map(({ features }) =>
      Float64Array.from(columns, ({ name, mean, scale }) => (features[name] - mean) / scale),
    ),
    right: cases.map(({ kind }) => kind === 'open'),
    ridge: RIDGE,
  });
  const raw = columns.map(({ name, scale }, place) => [name, weights[place]! / scale] as const);
  const shift = columns.reduce((sum, { mean, scale }, place) => sum + (weights[place]! * mean) / scale, 0);
  return {
    intercept: intercept! - shift,
    weights: Object.fromEntries(raw) as Record<OpennessFeature, number>,
  };
}
