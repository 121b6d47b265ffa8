import type { Answers, ScoredPassage } from './types.ts';

/** The readings' answers to `question`, clustered and scored; see `answerScore` for the score. */
export function chooseAnswer(question: string, passages: readonly ScoredPassage[]): Answers {
  throw new Error(`not written yet: ${question} ${passages.length}`);
}
