import { openTagger } from '../state/index.ts';
import { mentionsIn } from './mentions.ts';
import { tagsOf } from './names.ts';
import {
  asksForPiece,
  conditionIn,
  isAsking,
  optionsIn,
  partIn,
  proposedIn,
  saysStillOpen,
  stillOffered,
  variableIn,
} from './questions.ts';
import { tokensOf } from './tokens.ts';
import type { ClarifiedQuestion, Turn } from './types.ts';
import { AUXILIARIES, COURTESIES, FUNCTION_WORDS, INDIFFERENT, QUESTION_WORDS } from './words.ts';

const MAX_ANSWER_CHARS = 2_000;
const MAX_ANSWER_WORDS = 16;

/** Whether a text asks: a question mark at its end, or a question word or auxiliary at its start. */
export function isQuestion(text: string): boolean {
  const tokens = tokensOf(text);
  const first = tokens.find(({ lower }) => !/^(?:and|but|so|then|ok|okay|well)$/.test(lower))?.lower ?? '';
  const head = first.replace(/'s$/, '');
  if (QUESTION_WORDS.has(head) || AUXILIARIES.has(first)) return true;
  if (/^(?:any|anything|anyone|tell|list|explain|describe|give|show|name|find)$/.test(head)) return true;
  return /\?\s*$/.test(text);
}

/** A question of ours to which turn `at` may be a reply, and the question of the user that it was about. */
type Exchange = Omit<ClarifiedQuestion, 'values'>;

/** What we asked last before turn `at`; null where we asked nothing about a question of the user's. */
export function exchangeBefore(history: readonly Turn[], at: number): Exchange | null {
  const open = history[at - 1];
  if (open?.role === 'assistant' && saysStillOpen(open.text)) return reopened(history, at - 1);
  const turn = at - 1;
  const asked = history[turn];
  if (asked?.role !== 'assistant' || !isAsking(asked.text)) return null;
  if (variableIn(asked.text) === null && optionsIn(asked.text).length === 0) return null;
  let questionTurn = turn - 1;
  while (questionTurn >= 0 && history[questionTurn]!.role !== 'user') questionTurn -= 1;
  if (questionTurn < 0) return null;
  questionTurn = beforeSameQuestion(asked.text, history, questionTurn);
  const about = partIn(asked.text);
  if (about !== null) return { asked: about.message, turn, question: about.part, questionTurn };
  return { asked: asked.text, turn, question: history[questionTurn]!.text, questionTurn };
}

/** Where we said at turn `open` that something is still open: our question about it, and what the user asked last. */
function reopened(history: readonly Turn[], open: number): Exchange | null {
  const questionTurn = history.findLastIndex(({ role }, i) => i < open && role === 'user');
  const turn = history.findLastIndex(
    ({ role, text }, i) => i < open && role === 'assistant' && isAsking(text) && variableIn(text) !== null,
  );
  if (questionTurn < 0 || turn < 0) return null;
  return { asked: history[turn]!.text, turn, question: history[questionTurn]!.text, questionTurn };
}

/** A question of ours in a conversation, by what it asked for, and what was said to it; no values: nothing was. */
export interface AskedTurn {
  message: string;
  variable: string;
  /** Also those that were offered when we said that it is still open. */
  options: string[];
  /** What the user had said before. */
  about: string;
  turn: number;
  values: string[];
}

/** Turns in which we asked that are looked at, the last ones. */
const MOST_ASKED = 32;

/** What the user was asked in a conversation, in our own wording, oldest first. Pure. */
export function askedTurns(history: readonly Turn[]): AskedTurn[] {
  const asked: AskedTurn[] = [];
  for (const [turn, { role, text }] of history.entries()) {
    if (role !== 'assistant') continue;
    // What is still open may by then be a choice between other things than at first.
    const offered = stillOffered(text);
    const open = asked
      .slice(-MOST_ASKED)
      .findLast((one) => one.options.some((value) => holds(offered, value)));
    open?.options.push(...offered);
    const variable = variableIn(text);
    if (variable === null) continue;
    const about = history[turn - 1]?.role === 'user' ? history[turn - 1]!.text : '';
    asked.push({ message: text.trim(), variable, options: optionsIn(text), about, turn, values: [] });
  }
  return asked.slice(-MOST_ASKED).map((one) => {
    const reply = history[one.turn + 1];
    return reply?.role === 'user' && reply.text.length <= MAX_ANSWER_CHARS
      ? { ...one, values: valuesOf(reply.text, one.message) ?? [] }
      : one;
  });
}

function holds(values: readonly string[], value: string): boolean {
  return values.some((one) => one.toLowerCase() === value.toLowerCase());
}

/**
 * The question that `query` answers, when our last turn asked one and the query says what was meant: one of the
 * options by its words, number or place, "both", or a value of the user's own; without values where it refuses to say
 * ("whatever", "neither"). A turn that offers no options counts as our question only in our own wording, since whoever
 * answers may end with a question too. `at`: how many turns are before the query, all of them where not said. Null for
 * an answer to a question that was never asked, for courtesies, and for a new question.
 */
export function clarifiedQuestion(
  query: string,
  history: readonly Turn[],
  at = history.length,
): ClarifiedQuestion | null {
  // A reply is short, and what comes after this is not linear in white space.
  if (query.length > MAX_ANSWER_CHARS) return null;
  const exchange = exchangeBefore(history, at);
  const values = exchange === null ? null : valuesOf(query, exchange.asked);
  return exchange === null || values === null ? null : { ...exchange, values };
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

/** The values of a reply that chooses none. */
const REFUSED: string[] = [];

/**
 * What a reply to `asked` says: none where it refuses. Null for courtesies and for a new question, though it may speak of
 * an option.
 */
function valuesOf(query: string, asked: string): string[] | null {
  const words = tokensOf(query.slice(0, 1_000)).map(({ lower }) => lower);
  if (words.length === 0 || words.length > MAX_ANSWER_WORDS) return null;
  const condition = conditionIn(asked);
  const said = words.join(' ');
  if (condition !== null && YES.test(said)) return [condition];
  if (condition !== null && NO.test(said)) return [`not: ${condition}`];
  const options = optionsIn(asked);
  if (!/\?\s*$/.test(query) && isIndifferent(said, words, options)) return REFUSED;
  const chosen = chosenOf(said, words, options, proposedIn(asked));
  const questioned = isQuestion(query);
  if (chosen !== null) return questioned && !onlyOf(words, asked) ? null : chosen;
  if (questioned || words.every((word) => FUNCTION_WORDS.has(word) || COURTESIES.has(word))) return null;
  return ownValue(query, said, options, asked);
}

const YES =
  /^(?:yes|yep|yeah|yup)(?: (?:sure|please|exactly|definitely|i|we|it|they|do|does|am|are|is|have|has|can|did|was))*$|^(?:sure|correct|right|exactly|indeed|definitely|absolutely|true|of course|(?:i|we|it|they) (?:do|does|am|are|is|have|has|can|did|was))$/;
const NO =
  /^(?:no|nope|nah)(?: (?:not|really|at|all|sorry|i|we|it|they|do|am|are|is|have|can|\w+n't|i'm))*$|^not (?:really|at all)$|^(?:i|we|it|they) (?:\w+n't|(?:do|does|am|are|is|have|has|can|did|was) not)$/;

/**
 * A reply in words of the user's own. What a thing is called is no sentence; where there was a choice, it must also have
 * to do with what was asked or offered, or name something. More words and a case of one's own may be told as one likes.
 */
function ownValue(query: string, said: string, options: readonly string[], asked: string): string[] | null {
  const value = query
    .trim()
    .replace(LEAD, '')
    .replace(/[\s.!,;]+$/, '');
  const content = contentOf(value);
  if (content.length === 0) return null;
  const variable = variableIn(asked);
  if (options.length === 0 && LEADS_REFUSAL.test(said)) return REFUSED;
  if (variable === 'question' || conditionIn(asked) !== null) return [value];
  if (options.length === 0 && asksForPiece(asked)) return [value];
  if (options.length > 0 && REFUSES.test(said)) return REFUSED;
  if (isClause(value)) return null;
  if (mentionsIn(value).length > 0 || isNumeral(content)) return [value];
  const offered = new Set([variable ?? '', ...options].flatMap(contentOf));
  const called = options.length === 0 ? holdsNoun(value) : content.some((word) => offered.has(word));
  return called ? [value] : null;
}

const LEAD =
  /^(?:(?:i|we) (?:mean|meant|want|have|use|need|prefer)|(?:i['’]m|i am|we['’]re|we are) on|it['’]?s|it is|that['’]?s|that is|yes,?|the one)\s+/i;

function contentOf(text: string): string[] {
  return tokensOf(text)
    .map(({ lower }) => lower)
    .filter((word) => !FUNCTION_WORDS.has(word));
}

/** What has a digit in it, as numbers and identifiers do, or words that are all numbers and dates. */
function isNumeral(content: readonly string[]): boolean {
  const counts = (word: string): boolean =>
    tagsOf(word).some((tag) => /^(?:Cardinal|Date|Duration|Month|WeekDay)$/.test(tag));
  const date = content.filter((word) => !/^(?:last|next|previous)$/.test(word));
  return content.some((word) => /\p{N}/u.test(word)) || (date.length > 0 && date.every(counts));
}

/** "To cancel my plan", "forget the plan", "my plan is old": what says or bids something is no value. */
function isClause(value: string): boolean {
  if (/^(?:i|we|you|he|she|it|they|there|to|please)\b/i.test(value)) return true;
  const words = openTagger()(value);
  const bids = words[0]?.tags.has('Infinitive') === true;
  if (bids && /^(?:the|an?|my|our|this|that|it|me|us)$/i.test(words[1]?.text ?? '')) return true;
  return words.some(
    ({ text }, i) =>
      AUXILIARIES.has(text.toLowerCase()) && !/^(?:that|which|who)$/i.test(words[i - 1]?.text ?? ''),
  );
}

function holdsNoun(value: string): boolean {
  return openTagger()(value).some(({ tags }) => tags.has('Noun') && !tags.has('Pronoun'));
}

/** Whether the words say nothing that our question did not say. */
function onlyOf(words: readonly string[], asked: string): boolean {
  const ours = new Set(tokensOf(asked.slice(0, 4_000)).map(({ lower }) => lower));
  return words.every(
    (word) => FUNCTION_WORDS.has(word) || PLACES.some((place) => place.test(word)) || ours.has(word),
  );
}

/** "Not the basic one", "anything but basic", "another plan": it names what is not meant. */
const REFUSES =
  /\b(?:not|never|neither|nor|except|without|another|other|else)\b|\b(?:any|every|no)(?:thing|one)? but\b|\ball but\b|n['\u2019]t\b/;
const LEADS_REFUSAL = /^(?:not|never|neither|nor|anything but|everything but|all but)\b/;
/** What makes function words a refusal: "none of them", "either", "I can't say". */
const DECLINES =
  /\b(?:no|nope|not|none|nothing|neither|never|any|anyone|anything|either|another|other|else|up to you)\b|n't\b/;

/** "Whatever", "I have no idea", "never mind", "none of them": it chooses nothing and asks nothing. */
function isIndifferent(said: string, words: readonly string[], options: readonly string[]): boolean {
  const offered = new Set(options.flatMap(contentOf));
  if (words.some((word) => offered.has(word))) return false;
  const plain = (word: string): boolean =>
    FUNCTION_WORDS.has(word) || AUXILIARIES.has(word) || COURTESIES.has(word);
  if (!words.every((word) => plain(word) || INDIFFERENT.has(word))) return false;
  return words.some((word) => INDIFFERENT.has(word)) || DECLINES.test(said);
}

const PLACES: readonly RegExp[] = [
  /^(?:first|1st|1|one|former|a)$/,
  /^(?:second|2nd|2|two|b)$/,
  /^(?:third|3rd|3|three|c)$/,
  /^(?:fourth|4th|4|four|d)$/,
];

/** Options chosen, none for a refusal; null when the words choose none. */
function chosenOf(
  said: string,
  words: readonly string[],
  options: readonly string[],
  proposed: string | null,
): string[] | null {
  if (options.length === 0) return null;
  if (/^(?:both|all|all of (?:them|these|those)|both of (?:them|these|those))$/.test(said))
    return [...options];
  if (/^(?:yes|yep|yeah|right|correct|exactly|sure)(?: please)?$/.test(said)) {
    const meant = options.length === 1 ? options[0]! : proposed;
    return meant === null ? null : [meant];
  }
  const exact = options.find((option) => option.toLowerCase() === said);
  if (exact !== undefined) return [exact];
  const labelled = withNumeral(said, options);
  if (labelled !== null) return [labelled];
  const place = said
    .replace(/^(?:option|number|the)\s+|\s+(?:one|option)$/g, '')
    .replace(/^(?:option|number)\s+/, '');
  if (/^(?:last|latter)$/.test(place)) return [options.at(-1)!];
  const nth = PLACES.findIndex((pattern) => pattern.test(place));
  if (nth >= 0) return options[nth] === undefined ? REFUSED : [options[nth]];
  const content = new Set(words.filter((word) => !FUNCTION_WORDS.has(word)));
  const matches = options.filter((option) => {
    const own = contentOf(option);
    const shared = own.filter((word) => content.has(word)).length;
    return own.length > 0 && (shared === own.length || (content.size > 0 && shared === content.size));
  });
  if (matches.length === 0 || (matches.length === options.length && matches.length > 1)) return null;
  return REFUSES.test(said) ? REFUSED : matches;
}

/** "2" for "Plan 2" where no other option has that number: a label goes before a place in the list. */
function withNumeral(said: string, options: readonly string[]): string | null {
  const numeral = /^(?:the )?(\d{1,9})(?: one)?$/.exec(said)?.[1];
  const labelled = options.filter((option) => tokensOf(option).some(({ text }) => text === numeral));
  return labelled.length === 1 ? labelled[0]! : null;
}
