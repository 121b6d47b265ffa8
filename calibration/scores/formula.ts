import { PragauraError } from '../../common/index.ts';
import type { Temperatures, UncertaintyScore } from '../../router/index.ts';
import { countBelow, countUpTo } from '../thresholds/conformal.ts';
import { type FitItem, ranked } from './items.ts';

type FormulaScore = Extract<UncertaintyScore, { kind: 'formula' }>;
type Weights = FormulaScore['weights'];
type SignalName = 'D' | 'C' | 'E';

const WEIGHT_OF: Readonly<Record<SignalName, keyof Weights>> = { D: 'alpha', C: 'beta', E: 'gamma' };

/** Parts into which one is divided: weights are multiples of 1/20. */
const PARTS = 20;
/** Areas closer than this differ by the order of additions only. */
const TIED = 1e-12;

export interface FormulaFit {
  score: FormulaScore;
  /** AUGRC of the chosen weights on the items that they were fitted on. */
  augrc: number;
  /** Every point of the grid, alpha ascending, then beta. */
  surface: (Weights & { augrc: number })[];
  /** Points with the least AUGRC; more than one when the data cannot tell them apart. */
  tied: number;
}

/**
 * Weights of U = alpha*D + beta*C + gamma*(1-E), non-negative multiples of .05 summing to one, with the least AUGRC
 * (loss: wrong or not) over the items. Among equals the most even weights win (least sum of squares), then the
 * larger gamma, then the larger beta: no choice depends on the order of the items. `without`: signals whose weight is
 * kept at 0. `temperatures`: C and E are made anew with these. Pure. Throws INVALID_INPUT without items, USAGE when no signal is left.
 */
export function fitFormula(
  items: readonly FitItem[],
  { without = [], temperatures }: { without?: readonly SignalName[]; temperatures?: Temperatures } = {},
): FormulaFit {
  if (items.length === 0) {
    throw new PragauraError('INVALID_INPUT', 'There is no labelled example to fit the weights on.');
  }
  const areaAt = areas(items, temperatures);
  const barred = without.map((signal) => WEIGHT_OF[signal]);
  const surface = simplex().flatMap((weights) =>
    barred.some((name) => weights[name] > 0) ? [] : [{ ...weights, augrc: areaAt(weights) }],
  );
  if (surface.length === 0) throw new PragauraError('USAGE', 'Without D, C and E nothing is left of U.');
  const least = Math.min(...surface.map((point) => point.augrc));
  const best = surface.filter((point) => point.augrc <= least + TIED);
  const [chosen] = best.sort((a, b) => squares(a) - squares(b) || b.gamma - a.gamma || b.beta - a.beta) as [
    (typeof best)[number],
  ];
  const { alpha, beta, gamma } = chosen;
  return {
    score: {
      kind: 'formula',
      weights: { alpha, beta, gamma },
      ...(temperatures === undefined ? {} : { temperatures }),
    },
    augrc: chosen.augrc,
    surface,
    tied: best.length,
  };
}

/**
 * AUGRC of given weights, as `augrc` has it and a hundred times faster: U is linear in the weights, so that the three
 * terms of every item are asked for once, and with losses of 0 and 1 the area is the sum over wrong items of those that
 * come after (of equals half), over n^2.
 */
function areas(
  items: readonly FitItem[],
  temperatures: Temperatures | undefined,
): (weights: Weights) => number {
  const own = temperatures === undefined ? {} : { temperatures };
  const terms = CORNERS.map((weights) => {
    const score: FormulaScore = { kind: 'formula', weights, ...own };
    return Float64Array.from(ranked(items, score), ({ uncertainty }) => uncertainty ?? Infinity);
  }) as [Float64Array, Float64Array, Float64Array];
  const wrong = [...items.keys()].filter((i) => items[i]!.wrong);
  const U = new Float64Array(items.length);
  return ({ alpha, beta, gamma }) => {
    for (let i = 0; i < U.length; i++) {
      const [D, C, E] = [terms[0][i]!, terms[1][i]!, terms[2][i]!];
      U[i] = D === Infinity ? D : alpha * D + beta * C + gamma * E;
    }
    const sorted = U.slice().sort();
    let sum = 0;
    for (const i of wrong) sum += 2 * U.length - countUpTo(sorted, U[i]!) - countBelow(sorted, U[i]!);
    return sum / (2 * U.length ** 2);
  };
}

const CORNERS: readonly Weights[] = [
  { alpha: 1, beta: 0, gamma: 0 },
  { alpha: 0, beta: 1, gamma: 0 },
  { alpha: 0, beta: 0, gamma: 1 },
];

function simplex(): Weights[] {
  const points: Weights[] = [];
  for (let a = 0; a <= PARTS; a++) {
    for (let b = 0; b <= PARTS - a; b++) {
      points.push({ alpha: a / PARTS, beta: b / PARTS, gamma: (PARTS - a - b) / PARTS });
    }
  }
  return points;
}

/** In whole parts, so that equals are equal. */
function squares({ alpha, beta, gamma }: Weights): number {
  return [alpha, beta, gamma].reduce((sum, weight) => sum + Math.round(weight * PARTS) ** 2, 0);
}
