/** How likely what is shown is right: a logistic regression, with a shift for each act that is drawn to the pool. Pure. */
import { fitLogistic } from '../../calibration/index.ts';
import { sigmoid } from '../../common/index.ts';
import { ACTS, type Act } from '../../profiles/index.ts';
import { linearPredictor } from '../../router/index.ts';
import type { Values } from './judged.ts';

/** One input of a logistic regression, standardised; `missing` in units of z. */
interface Input {
  feature: string;
  mean: number;
  scale: number;
  weight: number;
  missing: number;
}

/** P(right) = sigma(intercept + sum of weight * (value - mean) / scale + shift of the act). */
export interface Probability {
  intercept: number;
  inputs: Input[];
  /** In units of z, 0 for an act that nothing is known of. */
  shifts: Partial<Record<Act, number>>;
}

export interface FitOptions {
  features: readonly string[];
  /** Penalty of a squared weight. */
  ridge: number;
  /** Penalty of a squared shift: as many questions of the act as half believe the pool. Infinity: no act has one. */
  shrink: number;
}

interface Case {
  values: Values;
  act: Act;
  right: boolean;
}

/**
 * Regression of right on the features, then a shift for each act, drawn to 0. What is missing has a weight of its own; where
 * it never was, it counts as the worst value that there was. Throws INTERNAL when it does not converge.
 */
export function fitProbability(cases: readonly Case[], { features, ridge, shrink }: FitOptions): Probability {
  const columns = features.map((feature) => columnOf(cases, feature));
  const gaps = columns.filter(({ standard }) => standard.includes(null));
  const rows = cases.map((_, i) =>
    Float64Array.from([
      ...columns.map(({ standard }) => standard[i] ?? 0),
      ...gaps.map(({ standard }) => (standard[i] === null ? 1 : 0)),
    ]),
  );
  const beta = fitLogistic({ rows, right: cases.map(({ right }) => right), ridge });
  const inputs = columns.map(({ standard, ...column }, i): Input => {
    const weight = beta[i + 1]!;
    const gap = gaps.findIndex(({ feature }) => feature === column.feature);
    const worst = Math.min(...standard.map((value) => weight * value!));
    return { ...column, weight, missing: gap === -1 ? worst : beta[1 + columns.length + gap]! };
  });
  const pooled = { intercept: beta[0]!, inputs, shifts: {} };
  return { ...pooled, shifts: Number.isFinite(shrink) ? shiftsOf(cases, pooled, shrink) : {} };
}

/** The values in standard deviations from their mean. */
function columnOf(cases: readonly Case[], feature: string) {
  const values = cases.map((each) => each.values[feature] ?? null);
  const known = values.flatMap((value) => value ?? []);
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, known.length);
  const scale = Math.sqrt(variance) || 1;
  return {
    feature,
    mean,
    scale,
    standard: values.map((value) => (value === null ? null : (value - mean) / scale)),
  };
}

function shiftsOf(cases: readonly Case[], pooled: Probability, shrink: number): Probability['shifts'] {
  return Object.fromEntries(
    ACTS.flatMap((act) => {
      const own = cases.filter((each) => each.act === act);
      return own.length === 0 ? [] : [[act, shiftOf(own, pooled, shrink)]];
    }),
  );
}

/** The largest of log likelihood less shrink / 2 * shift ** 2, by Newton's method: it is concave. */
function shiftOf(own: readonly Case[], pooled: Probability, shrink: number): number {
  const z = own.map(({ values, act }) => logitOf(pooled, values, act));
  let shift = 0;
  for (let step = 0; step < 50; step++) {
    let [gradient, curvature] = [-shrink * shift, shrink];
    for (const [i, { right }] of own.entries()) {
      const p = sigmoid(z[i]! + shift);
      gradient += (right ? 1 : 0) - p;
      curvature += p * (1 - p);
    }
    const move = gradient / curvature;
    shift += move;
    if (Math.abs(move) < 1e-10) break;
  }
  return shift;
}

export function logitOf({ intercept, inputs, shifts }: Probability, values: Values, act: Act): number {
  const known = Object.fromEntries(inputs.map(({ feature }) => [feature, values[feature] ?? null]));
  return linearPredictor({ intercept, inputs }, known) + (shifts[act] ?? 0);
}
