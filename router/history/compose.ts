import { genitive, tokensOf, withoutGenitive } from './tokens.ts';
import type { ClarifiedQuestion } from './types.ts';
import { FUNCTION_WORDS } from './words.ts';

/**
 * The clarified question with its values in it: in the place of the word that we asked about ("What does "it" refer
 * to?") or of the noun that the value repeats ("the model", Model K3); otherwise set behind.
 */
export function composed(question: string, { asked, values }: ClarifiedQuestion): string {
  const value = values.join(values.length > 2 ? ', ' : ' and ');
  const quoted = Array.from(asked.matchAll(/["“]([^"”]{1,80})["”]/g), ([, word]) => word!.toLowerCase());
  const tokens = tokensOf(question);
  const wanted = tokensOf(value).map(({ lower }) => lower);
  if (wanted.every((word) => tokens.some(({ lower }) => withoutGenitive(lower) === word))) return question;
  for (const [i, token] of tokens.entries()) {
    const bare = withoutGenitive(token.lower);
    const meant = quoted.includes(token.lower) || quoted.includes(bare);
    const repeated = !FUNCTION_WORDS.has(bare) && wanted.includes(bare) && values.length === 1;
    if (!meant && !repeated) continue;
    const named = wanted.includes(bare) || FUNCTION_WORDS.has(bare);
    if (!named) return `${question.slice(0, token.end)} (${value})${question.slice(token.end)}`;
    const before = tokens[i - 1];
    // "The model" becomes "Model K3", and "the plan" becomes "the family plan".
    const determined = /^(?:(?:the|an?|this|that|my|our)\s|\p{Lu}|\p{N})/u.test(value);
    const start =
      determined && before !== undefined && /^(?:the|a|an|this|that|my|our)$/.test(before.lower)
        ? before.start
        : token.start;
    const owner = bare !== token.lower || /^(?:his|its|their)$/.test(bare);
    return question.slice(0, start) + (owner ? genitive(value) : value) + question.slice(token.end);
  }
  const tail = /[\s?!.]*$/.exec(question)![0];
  return `${question.slice(0, question.length - tail.length)} (${value})${tail}`;
}
