import { tokensOf } from './tokens.ts';
import type { ClarifiedQuestion, Turn } from './types.ts';
import { AUXILIARIES, FUNCTION_WORDS, QUESTION_WORDS } from './words.ts';

const MAX_ANSWER_CHARS = 2_000;
const MAX_ANSWER_WORDS = 16;
const MAX_OPTION_WORDS = 12;
const MAX_OPTIONS = 8;

/** Whether a text asks: a question mark at its end, or a question word or auxiliary at its start. */
export function isQuestion(text: string): boolean {
  const tokens = tokensOf(text);
  const first = tokens.find(({ lower }) => !/^(?:and|but|so|then|ok|okay|well)$/.test(lower))?.lower ?? '';
  const head = first.replace(/'s$/, '');
  if (QUESTION_WORDS.has(head) || AUXILIARIES.has(first)) return true;
  if (/^(?:any|anything|anyone|tell|list|explain|describe|give|show|name|find)$/.test(head)) return true;
  return /\?\s*$/.test(text);
}

/**
 * The question that `query` answers, when our last turn asked one and the query says what was meant: one of the
 * options by its words, number or place, "both", or a few words that ask nothing themselves. `at`: how many turns are
 * before the query, all of them where not said. Null for an answer to a
 * question that was never asked, for a refusal ("neither"), and for a new question.
 */
export function clarifiedQuestion(
  query: string,
  history: readonly Turn[],
  at = history.length,
): ClarifiedQuestion | null {
  const turn = at - 1;
  const asked = history[turn];
  // A reply is short, and what comes after this is not linear in white space.
  if (query.length > MAX_ANSWER_CHARS) return null;
  if (asked?.role !== 'assistant' || !/\?["”')\s]*$/.test(asked.text)) return null;
  let questionTurn = turn - 1;
  while (questionTurn >= 0 && history[questionTurn]!.role !== 'user') questionTurn -= 1;
  if (questionTurn < 0) return null;
  questionTurn = beforeSameQuestion(asked.text, history, questionTurn);
  const question = history[questionTurn]!.text;
  const values = valuesOf(query, asked.text) ?? affirmed(query, asked.text);
  return values === null ? null : { asked: asked.text, turn, question, questionTurn, values };
}

const MOST_AGAIN = 8;

/**
 * Where we asked the same again, the new reply takes the place of the one before: the turn that was asked about first.
 * Another question between the two was no reply, and is what was asked about last.
 */
function beforeSameQuestion(asked: string, history: readonly Turn[], replyTurn: number): number {
  let turn = replyTurn;
  for (let again = 0; again < MOST_AGAIN; again++) {
    const same = history[turn - 1]?.role === 'assistant' && history[turn - 1]!.text === asked;
    if (!same || history[turn - 2]?.role !== 'user') break;
    const between = history[turn]!.text.slice(0, MAX_ANSWER_CHARS);
    if (isQuestion(between) && valuesOf(between, asked) === null) break;
    turn -= 2;
  }
  return turn;
}

/** The choices that a question of ours offers, as they are written there; empty where it offers none. */
export function optionsIn(asked: string): string[] {
  const listed = Array.from(
    asked.slice(0, 4_000).matchAll(/^[ \t]*(?:[-*•]|\(?\d{1,2}[.)]|\(?[a-d]\))[ \t]+(\S.{0,120})$/gim),
    (match) => clean(match[1]!),
  );
  if (listed.length >= 2) return listed.slice(0, MAX_OPTIONS);
  const quoted = QUOTED_CHOICE.exec(asked.slice(-1_500))?.[1];
  if (quoted !== undefined) return quotedIn(quoted);
  const sentence = lastSentence(asked);
  const offered =
    /(?::|\b(?:did|do) you mean|\bbetween|\bis it|\bfor)\s+([^:]+?)\?["”')\s]*$/i.exec(sentence)?.[1] ?? '';
  const parts = offered.split(/\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+(?=[^,]*$)/i).map(clean);
  const options = parts.filter((part) => part !== '' && part.split(/\s+/).length <= MAX_OPTION_WORDS);
  const several = / or |,/.test(offered);
  return several || /\byou mean\b/i.test(sentence) ? options.slice(0, MAX_OPTIONS) : [];
}

/** What stands in quotation marks, in order. */
export function quotedIn(text: string): string[] {
  return Array.from(text.matchAll(/["“]([^"“”]{1,200})["”]/g), ([, words]) => words!);
}

/** A list of quoted values at the end of a question: `Which plan do you mean: "basic" or "family"?` */
const QUOTED_CHOICE =
  /(?::|\byou mean|\bto do with|\bbetween)\s+((?:["“][^"“”]{1,200}["”](?:,? or |,? and |, )?){1,8})\?["”')\s]*$/i;

function lastSentence(text: string): string {
  return /[^.!?\n]*\?["”')\s]*$/.exec(text.slice(-1_000))?.[0] ?? '';
}

/** "Are you over 60?" and "yes": what was asked with what was said. A condition that we quoted is told by its own words. */
function affirmed(query: string, asked: string): string[] | null {
  const said = /^\W*(yes|yep|yeah|no|nope)\W*$/i.exec(query.slice(0, 40))?.[1]?.toLowerCase();
  const sentence = lastSentence(asked).trim();
  const first = tokensOf(sentence)[0]?.lower ?? '';
  if (said === undefined || !AUXILIARIES.has(first)) return null;
  const isYes = said.startsWith('y');
  const condition = /condition: ["“]([^"“”]{1,200})["”]\. [^"“”?]*\?["”')\s]*$/i.exec(
    asked.slice(-1_000),
  )?.[1];
  if (condition !== undefined) return [isYes ? condition : `not: ${condition}`];
  return [`${sentence.replace(/\?["”')\s]*$/, '')}: ${isYes ? 'yes' : 'no'}`];
}

function clean(option: string): string {
  return option.replace(/^["“'(\s]+|["”')\s.?;]+$/g, '');
}

const PLACES: readonly RegExp[] = [
  /^(?:first|1st|1|one|former|a)$/,
  /^(?:second|2nd|2|two|b)$/,
  /^(?:third|3rd|3|three|c)$/,
  /^(?:fourth|4th|4|four|d)$/,
];

/** What a reply to `asked` says. Null for a refusal and for a new question, though it may speak of an option. */
function valuesOf(query: string, asked: string): string[] | null {
  const tokens = tokensOf(query.slice(0, 1_000));
  const words = tokens.map(({ lower }) => lower);
  if (words.length === 0 || words.length > MAX_ANSWER_WORDS) return null;
  const said = words.join(' ');
  const questioned = isQuestion(query);
  const options = optionsIn(asked);
  const chosen = chosenOf(said, words, options);
  if (chosen === null || (chosen !== undefined && (!questioned || onlyOf(words, asked)))) return chosen;
  if (questioned || /^(?:yes|yep|yeah|no|nope|ok|okay|thanks|thank you|hello|hi|sure)$/.test(said))
    return null;
  const value = query
    .trim()
    .replace(/^(?:(?:i|we) (?:mean|meant|want)|it['’]?s|it is|that['’]?s|that is|yes,?|the one)\s+/i, '')
    .replace(/[\s.!,;]+$/, '');
  return tokensOf(value).some(({ lower }) => !FUNCTION_WORDS.has(lower)) ? [value] : null;
}

/** Whether the words say nothing that our question did not say. */
function onlyOf(words: readonly string[], asked: string): boolean {
  const ours = new Set(tokensOf(asked.slice(0, 4_000)).map(({ lower }) => lower));
  return words.every(
    (word) => FUNCTION_WORDS.has(word) || PLACES.some((place) => place.test(word)) || ours.has(word),
  );
}

/** "Not the basic one", "anything but basic": it names what is not meant. */
const REFUSES =
  /\b(?:not|never|neither|nor|except|without)\b|\b(?:any|every|no)(?:thing|one)? but\b|\ball but\b|n['\u2019]t\b/;

/** Options chosen; null for a refusal, undefined when the words choose none. */
function chosenOf(
  said: string,
  words: readonly string[],
  options: readonly string[],
): string[] | null | undefined {
  if (
    /^(?:no|nope|neither|none|none of (?:them|these|those)|i don't know|not sure|any|either|doesn't matter)$/.test(
      said,
    )
  ) {
    return null;
  }
  if (options.length === 0) return undefined;
  if (/^(?:both|all|all of (?:them|these|those)|both of (?:them|these|those))$/.test(said))
    return [...options];
  if (/^(?:yes|yep|yeah|right|correct|exactly|sure)$/.test(said))
    return options.length === 1 ? [...options] : null;
  const place = said
    .replace(/^(?:option|number|the)\s+|\s+(?:one|option)$/g, '')
    .replace(/^(?:option|number)\s+/, '');
  if (/^(?:last|latter)$/.test(place)) return [options.at(-1)!];
  const nth = PLACES.findIndex((pattern) => pattern.test(place));
  if (nth >= 0 && !options.some((option) => option.toLowerCase() === said)) {
    return options[nth] === undefined ? null : [options[nth]];
  }
  const content = new Set(words.filter((word) => !FUNCTION_WORDS.has(word)));
  const matches = options.filter((option) => {
    const own = tokensOf(option)
      .map(({ lower }) => lower)
      .filter((word) => !FUNCTION_WORDS.has(word));
    const shared = own.filter((word) => content.has(word)).length;
    return own.length > 0 && (shared === own.length || (content.size > 0 && shared === content.size));
  });
  if (matches.length === 0 || (matches.length === options.length && matches.length > 1)) return undefined;
  const exactly = matches.some((option) => option.toLowerCase() === said);
  return exactly || !REFUSES.test(said) ? matches : null;
}
