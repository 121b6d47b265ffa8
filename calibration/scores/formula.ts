import { PragauraError } from '../../errors.ts';
import type { UncertaintyScore } from '../../router/index.ts';
import { augrc } from '../metrics/selective.ts';
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
 * kept at 0. Pure. Throws INVALID_INPUT without items, USAGE when no signal is left.
 */
export function fitFormula(
  items: readonly FitItem[],
  { without = [] }: { without?: readonly SignalName[] } = {},
): FormulaFit {
  if (items.length === 0) {
    throw new PragauraError('INVALID_INPUT', 'There is no labelled example to fit the weights on.');
  }
  const barred = without.map((signal) => WEIGHT_OF[signal]);
  const surface = simplex().flatMap((weights) => {
    if (barred.some((name) => weights[name] > 0)) return [];
    const score: FormulaScore = { kind: 'formula', weights };
    return [{ ...weights, augrc: augrc(ranked(items, score))! }];
  });
  if (surface.length === 0) throw new PragauraError('USAGE', 'Without D, C and E nothing is left of U.');
  const least = Math.min(...surface.map((point) => point.augrc));
  const best = surface.filter((point) => point.augrc <= least + TIED);
  const [chosen] = best.sort((a, b) => squares(a) - squares(b) || b.gamma - a.gamma || b.beta - a.beta) as [
    (typeof best)[number],
  ];
  const { alpha, beta, gamma } = chosen;
  return {
    score: { kind: 'formula', weights: { alpha, beta, gamma } },
    augrc: chosen.augrc,
    surface,
    tied: best.length,
  };
}

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
