/** Questions of a conversation made to stand alone, by rules. Pure functions; English only. */
export { type AskedTurn, askedTurns, clarifiedQuestion } from './answers.ts';
export { type Mention, mentionsIn } from './mentions.ts';
export { tagsOf } from './names.ts';
export {
  aboutParts,
  conditionQuestion,
  partIn,
  proposal,
  proposedPlace,
  stillOpen,
  variableIn,
  withoutQuestion,
} from './questions.ts';
export { selfContained } from './self-contained.ts';
export { askedOn, type Standing, standing } from './standing.ts';
export { type Token, tokensOf } from './tokens.ts';
export { OpenReference, REWRITE_RULES, RewriteReason, type SelfContained, type Turn } from './types.ts';
export { AUXILIARIES, FUNCTION_WORDS, QUESTION_WORDS } from './words.ts';
