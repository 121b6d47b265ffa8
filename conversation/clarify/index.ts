/** One good question for a query that lacks a piece, or the reason why nothing can be said. Pure functions. */
export { type AbstentionText, abstentionText } from './abstain.ts';
export { chooseQuestion, mayRepeat, questionAbout, repeatedIn, repliedTo, whereQuestion } from './clarify.ts';
export {
  AskedQuestion,
  ClarificationRequest,
  ConflictingStatement,
  clarificationRequest,
  type VariableKind,
} from './record.ts';
export { readingOf, replaced, specified } from './text.ts';
export type { ClarifyInput, ClarifyingQuestion } from './types.ts';
