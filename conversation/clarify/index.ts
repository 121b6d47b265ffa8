/** One good question for a query that lacks a piece, or the reason why nothing can be said. Pure functions. */
export { type AbstentionText, abstentionText } from './abstain.ts';
export { chooseQuestion, questionAbout, repliedTo } from './clarify.ts';
export { AskedQuestion, ConflictingStatement, type VariableKind } from './record.ts';
export { readingOf } from './text.ts';
export type { ClarifyInput, ClarifyingQuestion } from './types.ts';
