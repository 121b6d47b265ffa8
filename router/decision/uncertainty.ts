import { PragauraError } from '../../common/index.ts';

/** Weights of the signals in U, non-negative, summing to one. */
export interface Weights {
  alpha: number;
  beta: number;
  gamma: number;
}

interface Values {
  D: number | null;
  C: number | null;
  E: number | null;
}

/**
 * The three terms of U = alpha*D + beta*C + gamma*(1-E), each in [0, its weight]; null when no signal could be scored.
 * A missing signal counts against the answer: without E nothing is entailed (1-E = 1), without C no source was
 * asked (C = 1), without D no second branch has confirmed it (D = 1).
 * Throws INTERNAL for a signal outside [0, 1] (NaN included), CONFIGURATION for weights that are negative or do not
 * sum to one.
 */
export function uncertaintyTerms(
  { D, C, E }: Values,
  weights: Weights,
): Record<'D' | 'C' | 'E', number> | null {
  const { alpha, beta, gamma } = checked(weights);
  for (const [name, value] of Object.entries({ D, C, E })) {
    if (value !== null && !(value >= 0 && value <= 1)) {
      throw new PragauraError('INTERNAL', `Signal ${name} is ${value}, which is not between 0 and 1.`);
    }
  }
  if (D === null && C === null && E === null) return null;
  return { D: alpha * (D ?? 1), C: beta * (C ?? 1), E: gamma * (1 - (E ?? 0)) };
}

/** U in [0, 1], the sum of `uncertaintyTerms`; null when no signal could be scored. */
export function uncertainty(signals: Values, weights: Weights): number | null {
  const terms = uncertaintyTerms(signals, weights);
  return terms === null ? null : Math.min(1, Math.max(0, terms.D + terms.C + terms.E));
}

function checked(weights: Weights): Weights {
  const { alpha, beta, gamma } = weights;
  const sound =
    [alpha, beta, gamma].every((weight) => weight >= 0) && Math.abs(alpha + beta + gamma - 1) <= 1e-9;
  if (!sound) {
    throw new PragauraError(
      'CONFIGURATION',
      `Signal weights ${alpha}, ${beta}, ${gamma} are not a division of one.`,
      {
        hint: 'Weights must be at least 0 and sum to 1.',
      },
    );
  }
  return weights;
}
