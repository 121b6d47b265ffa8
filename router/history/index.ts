/** Questions of a conversation made to stand alone, by rules. Pure functions; English only. */
export { clarifiedQuestion } from './answers.ts';
export { selfContained } from './self-contained.ts';
export {
  type ClarifiedQuestion,
  type OpenReference,
  REWRITE_RULES,
  type RewriteReason,
  type SelfContained,
  type Turn,
} from './types.ts';
