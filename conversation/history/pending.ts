/** What a question may point at in the one before it where that has no answer yet: both are parts of one query. */
import type { PronounClass } from './memory.ts';
import { lastObject, thingsIn } from './subject.ts';
import { type Token, tokensOf, withoutGenitive } from './tokens.ts';
import { AUXILIARIES, FUNCTION_WORDS } from './words.ts';

const MAX_WORDS = 12;

const WHO = /^\s*who(?:['’]s)?\s/i;

/** Whether a pronoun means whoever the question before asks for, and nobody whom it names ("Who is Ada Lovelace?"). */
export function meansAnswer(pronoun: PronounClass, question: string): boolean {
  if (pronoun === 'it' || !WHO.test(question)) return false;
  const [, be] = tokensOf(question);
  return !BE.test(be?.lower ?? '') || described(question) !== null;
}

/** "The eldest son of Alfonso III" from "Who was the eldest son of Alfonso III?"; null where nothing describes them. */
export function whoIsAsked(question: string): string | null {
  const phrase = described(question);
  return phrase !== null && tokensOf(phrase).length <= MAX_WORDS ? phrase : null;
}

function described(question: string): string | null {
  const [asking, be, first, ...rest] = tokensOf(question);
  if (asking?.lower !== 'who' || !BE.test(be?.lower ?? '') || first === undefined) return null;
  const owned = [first, ...rest].slice(0, 3).some(({ text }) => withoutGenitive(text) !== text);
  if (!owned && !/^(?:the|my|our)$/.test(first.lower)) return null;
  return question.slice(first.start).replace(/[\s?!.]+$/, '');
}

const BE = /^(?:is|was|are|were)$/;

/** Whether a question asks for people, so that "it" means none of those. */
export function asksWho(question: string): boolean {
  return WHO.test(question);
}

/** The last thing that the question speaks of and that "it" or "they" may mean. */
export function thingMeant(pronoun: PronounClass, question: string): string | null {
  if (pronoun !== 'it' && pronoun !== 'they') return null;
  const thing = thingsIn(question).findLast(({ plural }) => plural === (pronoun === 'they'))?.phrase ?? null;
  return pronoun === 'it' ? (lastObject(question) ?? thing) : thing;
}

/** "When were they updated?": what something was done to, if the question before speaks of several such things. */
export function thingsDoneTo(tokens: readonly Token[], at: number, question: string): string | null {
  const before = tokens[at - 1]?.lower ?? '';
  if (tokens[at]!.lower !== 'they' || !/^(?:are|were)$/.test(before) || tokens.at(-1)!.lower === 'born')
    return null;
  return tokens.slice(at + 1).some(({ lower }) => /ed$/.test(lower)) ? thingMeant('they', question) : null;
}

/** "How do I use this?": a demonstrative that stands alone; null for "this option". */
export function demonstrated(tokens: readonly Token[], at: number, question: string): string | null {
  const { lower } = tokens[at]!;
  if (!/^(?:this|that|these|those)$/.test(lower) || !endsPhrase(tokens[at + 1])) return null;
  // "Before that" is when it happened.
  if (FUNCTION_WORDS.has(tokens[at - 1]?.lower ?? '')) return null;
  return thingMeant(/^th(?:is|at)$/.test(lower) ? 'it' : 'they', question);
}

/** "One" where it stands for a thing of a kind: "one of the tags", "a tag". Null where it counts or where no kind is named. */
export function oneMeant(tokens: readonly Token[], at: number, question: string): string | null {
  const [before, next] = [tokens[at - 1]?.lower ?? '', tokens[at + 1]];
  if (tokens[at]!.lower !== 'one' || FUNCTION_WORDS.has(before) || AUXILIARIES.has(before)) return null;
  if (!endsPhrase(next)) return null;
  const kind = thingsIn(question).findLast(({ generic }) => generic);
  if (kind === undefined) return null;
  const bare = kind.phrase.replace(/^the /, '');
  return kind.plural ? `one of the ${bare}` : `${/^[aeiou]/i.test(bare) ? 'an' : 'a'} ${bare}`;
}

/** The phrase that "the game" repeats: "the first computer game"; null where the question says no more of it. */
export function describedThing(noun: string, question: string): string | null {
  const found = thingsIn(question).find((thing) => thing.noun === noun && /\s\S+\s/.test(`${thing.phrase} `));
  return found === undefined ? null : found.phrase.replace(/^the /, '');
}

function endsPhrase(next: Token | undefined): boolean {
  const goesOn = /^(?:in|on|at|to|for|from|with|by|after|before|when|if|again|and|or)$/;
  return next === undefined || goesOn.test(next.lower);
}
