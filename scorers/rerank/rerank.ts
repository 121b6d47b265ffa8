import { sigmoid } from '../../common/index.ts';
import type { PairPlan } from '../runtime/windows.ts';
import type { Relevance } from '../types.ts';

/** Relevance of a passage: that of its most relevant window. `logits`: one a window. */
export function relevanceOf(plan: PairPlan, logits: readonly number[]): Relevance {
  const logit = Math.max(...logits);
  return {
    score: sigmoid(logit),
    logit,
    tokens: plan.tokens,
    truncatedTokens: plan.truncatedTokens,
  };
}
