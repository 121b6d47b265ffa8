import { stretchOf } from '../../corpus/index.ts';
import { quotedIn } from './questions.ts';
import { genitive, tokensOf, withoutGenitive } from './tokens.ts';
import type { ClarifiedQuestion } from './types.ts';
import { FUNCTION_WORDS } from './words.ts';

/**
 * The clarified question with its values in it, as it was without any: in the place of the word that we said is unknown or asked about ("What
 * does "it" refer to?") or of the noun that the value repeats ("the model", Model K3); otherwise set behind.
 */
export function composed(question: string, { asked, values }: ClarifiedQuestion): string {
  if (values.length === 0) return question;
  const value = values.join(values.length > 2 ? ', ' : ' and ');
  const corrected = withoutUnknown(question, asked, value);
  if (corrected !== null) return corrected;
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
  let end = question.length;
  while (end > 0 && /[\s?!.]/.test(question[end - 1]!)) end -= 1;
  return `${question.slice(0, end)} (${value})${question.slice(end)}`;
}

/** What our own sentences say is unknown: `router/layers` and `conversation/clarify` word them. */
const UNKNOWN =
  /(?:^|\. )([^"“”.]{1,200}?) occurs? nowhere in|(?:do|does) not (?:know|have) ((?:["“][^"“”]{1,200}["”][, or]*)+)\. /i;

/** The value in the place of what does not exist; null where we said of nothing in the question that it does not. */
function withoutUnknown(question: string, asked: string, value: string): string | null {
  const [, plain, quoted] = UNKNOWN.exec(asked.slice(0, 1_000)) ?? [];
  const names = quoted === undefined ? (plain?.split(/, | and /) ?? []) : quotedIn(quoted);
  for (const name of names) {
    const place = stretchOf(question, name);
    if (place !== null) return question.slice(0, place.start) + value + question.slice(place.end);
  }
  return null;
}
