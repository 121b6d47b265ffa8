import type { Weights } from './types.ts';

/** U = alpha*D + beta*C + gamma*(1-E). */
export function uncertainty(
  signals: { D: number | null; C: number | null; E: number | null },
  weights: Weights,
): number | null {
  throw new Error(`not written yet: ${signals.D} ${weights.alpha}`);
}
