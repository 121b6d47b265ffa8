import { genderOf, hasNoBearer, isNameWord, isOrdinaryWord, tagsOf } from './names.ts';
import { type Token, tokensOf, withoutGenitive } from './tokens.ts';
import { AUXILIARIES, FUNCTION_WORDS, type Gender, NAME_LINKS, QUESTION_WORDS, TITLES } from './words.ts';

export type Kind = 'person' | 'group' | 'thing' | 'unknown';

/** Something named in a text. `start`, `end`: UTF-16 offsets of the name without its possessive ending. */
export interface Mention {
  name: string;
  kind: Kind;
  gender: Gender | null;
  start: number;
  end: number;
  /** A lone word with a capital only because it opens a sentence, perhaps: a name if it is known as one. */
  weak: boolean;
}

const MAX_NAME_WORDS = 10;

/**
 * The names in a text, in order: runs of capitalised words, joined by "of", "the" and the like where another
 * capitalised word follows, and short titles in double quotes. Time is linear in the text.
 */
export function mentionsIn(text: string): Mention[] {
  const tokens = tokensOf(text);
  const mentions: Mention[] = [];
  let at = 0;
  while (at < tokens.length) {
    const until = runEnd(text, tokens, at);
    if (until > at) {
      const mention = mentionOf(text, tokens.slice(at, until));
      if (mention !== null) mentions.push(mention);
    }
    at = Math.max(until, at + 1);
  }
  return [...mentions, ...pairs(text, mentions)];
}

/** "Laurel and Hardy", two of a kind that "they" may mean. */
function pairs(text: string, mentions: readonly Mention[]): Mention[] {
  return mentions.slice(1).flatMap((second, i) => {
    const first = mentions[i]!;
    if (text.slice(first.end, second.start) !== ' and ' || first.weak) return [];
    if (first.kind === 'thing' || second.kind === 'thing') return [];
    const { start } = first;
    const { end } = second;
    return [{ name: text.slice(start, end), kind: 'group' as const, gender: null, start, end, weak: false }];
  });
}

/** Place after the run of words that starts at `from`; `from` itself when none does. */
function runEnd(text: string, tokens: readonly Token[], from: number): number {
  if (!namesSomething(tokens[from]!)) return from;
  let end = from + 1;
  while (end < tokens.length && end - from < MAX_NAME_WORDS) {
    if (tokens[end - 1]!.text !== withoutGenitive(tokens[end - 1]!.text)) break;
    let next = end;
    while (next < tokens.length && next - end < 2 && NAME_LINKS.has(tokens[next]!.text)) next += 1;
    const following = tokens[next];
    if (following === undefined || !joined(text, tokens, end, next)) break;
    const number = next === end && /^\d+$/.test(following.text) && following.text.length <= 3;
    if (!number && (!namesSomething(following) || following.opens)) break;
    end = next + 1;
  }
  return end;
}

function namesSomething(token: Token): boolean {
  return token.capital || /^(?:\p{L}+-?\d|\p{Ll}\p{Lu}|\d+(?:st|nd|rd|th)$)/u.test(token.text);
}

/** Only spaces between the words `from` - 1 to `to` (and the dot of an initial). */
function joined(text: string, tokens: readonly Token[], from: number, to: number): boolean {
  for (let i = from; i <= to; i++) {
    const before = tokens[i - 1]!;
    const between = text.slice(before.end, tokens[i]!.start);
    if (between.trim() === '') continue;
    if (between.trim() !== '.' || before.text.length > 3) return false;
  }
  return true;
}

function mentionOf(text: string, run: readonly Token[]): Mention | null {
  let words = [...run];
  // "When Zappa", "In London": the first word is large only because it opens the sentence, or is a question word.
  while (words.length > 0 && dropped(words[0]!, words.length)) words = words.slice(1);
  while (words.length > 0 && NAME_LINKS.has(words[0]!.text)) words = words.slice(1);
  if (words.length === 0) return null;
  const [first] = words;
  const last = words.at(-1)!;
  if (words.every(({ lower }) => hasNoBearer(lower) || /^\d+(?:st|nd|rd|th)?$/.test(lower))) return null;
  const strength = words.length > 1 ? 'strong' : strengthOf(first!);
  if (strength === null) return null;
  const end = last.start + withoutGenitive(last.text).length;
  const bare = words.map(({ text: word }) => withoutGenitive(word));
  const gender = genderOf(bare);
  return {
    name: text.slice(first!.start, end),
    kind: /["“]/.test(text[first!.start - 1] ?? '') ? 'thing' : kindOf(bare, gender),
    gender,
    start: first!.start,
    end,
    weak: strength === 'weak',
  };
}

function dropped(token: Token, length: number): boolean {
  const { lower } = token;
  if (QUESTION_WORDS.has(lower) || AUXILIARIES.has(lower)) return true;
  if (lower === 'the') return length === 1 || token.opens;
  if (token.opens && length > 1 && tagsOf(lower).includes('Adverb')) return true;
  if (lower === 'i' || /^i'/.test(lower)) return true;
  if (TITLES.has(lower.replace('.', '')) && length > 1) return false;
  return (token.opens || length === 1) && FUNCTION_WORDS.has(lower);
}

/** A single word: no day, month or nationality; at the start of a sentence only what is known as a name is sure. */
function strengthOf({ lower, opens, text }: Token): 'strong' | 'weak' | null {
  const word = withoutGenitive(lower);
  if (word.length < 2 || hasNoBearer(word) || TITLES.has(word) || /^\d/.test(word)) return null;
  if (!opens || /\d/.test(word) || isNameWord(word)) return 'strong';
  if (text === text.toUpperCase()) return 'strong';
  return isOrdinaryWord(word) ? null : 'weak';
}

const THING =
  /\b(?:inc|ltd|llc|gmbh|corp|university|college|school|museum|church|street|road|river|island|war|battle|act|award|awards|prize|cup|league|album|film|magazine|times|house|hall|hospital|tower|bridge|park|airport|station|festival)\b/i;

function kindOf(words: readonly string[], gender: Gender | null): Kind {
  const name = words.join(' ');
  if (/\d/.test(name) || THING.test(name)) return 'thing';
  if (/^the\s.*s$/i.test(name) || (words.length > 1 && /[^s]s$/.test(name) && gender === null))
    return 'group';
  if (gender !== null && words.length <= 4) return 'person';
  const tags = tagsOf(name.toLowerCase());
  if (tags.some((tag) => /^(?:City|Country|Region|Place|Organization|Company)$/.test(tag))) return 'thing';
  return 'unknown';
}

const PERSON_NOTE =
  /\b(?:musician|singer|songwriter|rapper|actor|actress|politician|footballer|boxer|wrestler|cricketer|writer|author|poet|artist|painter|composer|character|scientist|physicist|philosopher|director|comedian|entertainer)\b/i;
const GROUP_NOTE = /\b(?:band|group|duo|trio|people|tribe|team)\b/i;

const WORK_NOTE =
  /\b(?:film|movie|song|album|musical|novel|book|play|series|game|magazine|software|ship|opera|poem|painting)\b/i;

/**
 * What a turn that is no sentence is about: "Frank Zappa", "the K2 board", "Hugo (film)"; null for a turn that asks,
 * states or only answers. `open`: the first turn, where an ordinary word may be a name.
 */
export function topicIn(text: string, open: boolean): Mention | null {
  if (text.length > 120 || /[?!\n]|\.\s/.test(text)) return null;
  const note = /\(([^)]{1,60})\)\s*$/.exec(text)?.[1] ?? '';
  const name = text
    .replace(/\s*\([^)]*\)\s*$/, '')
    .replace(/[\s.,;:]+$/, '')
    .trim();
  const tokens = tokensOf(name);
  if (tokens.length === 0 || tokens.length > 9) return null;
  if (tokens.some(({ lower, text: word }) => word === lower && isVerbal(lower))) return null;
  if (FUNCTION_WORDS.has(tokens[0]!.lower) && !/^(?:the|an?)$/.test(tokens[0]!.lower)) return null;
  const content = tokens.filter(({ lower }) => !FUNCTION_WORDS.has(lower));
  // "Early life and education" is a heading, not a name; "marie curie" and "Hugo" are names.
  const [first, ...rest] = content;
  if (first === undefined || !namesSomething(first) || !rest.every(namesSomething)) return null;
  if (!open && rest.length === 0 && strengthOf(first) !== 'strong') return null;
  const gender = genderOf(tokens.map((token) => token.text));
  const kind = PERSON_NOTE.test(note)
    ? 'person'
    : GROUP_NOTE.test(note)
      ? 'group'
      : WORK_NOTE.test(note)
        ? 'thing'
        : kindOf(
            tokens.map((token) => token.text),
            gender,
          );
  return { name, kind, gender, start: 0, end: name.length, weak: false };
}

function isVerbal(lower: string): boolean {
  return AUXILIARIES.has(lower) || QUESTION_WORDS.has(lower);
}
