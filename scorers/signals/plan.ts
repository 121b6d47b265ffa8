import type { Answers, NliPlan, ScoredPassage } from './types.ts';

/** Which pairs to put to the entailment model: at most `limit`, best first, each text pair once. */
export function planNli(
  question: string,
  passages: readonly ScoredPassage[],
  answers: Answers,
  limit: number,
): NliPlan {
  throw new Error(`not written yet: ${question} ${passages.length} ${answers.sources} ${limit}`);
}
