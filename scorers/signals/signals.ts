import type { Entailment } from '../types.ts';
import type { Answers, NliPlan, ScoredPassage, SignalReport } from './types.ts';

/** D, C and E. `scores[i]` belongs to `plan.pairs[i]`; null (or missing) where the model did not get to it. */
export function signalsFrom(
  passages: readonly ScoredPassage[],
  answers: Answers,
  plan: NliPlan,
  scores: readonly (Entailment | null)[],
): SignalReport {
  throw new Error(`not written yet: ${passages.length} ${answers.sources} ${plan.denied} ${scores.length}`);
}
