/** One good question for a query that lacks a piece, or the reason why nothing can be said. Pure functions. */
export { type AbstentionText, abstentionText, type Side } from './abstain.ts';
export { chooseQuestion } from './clarify.ts';
export type { ClarifyInput, ClarifyingQuestion, Option, VariableKind } from './types.ts';
