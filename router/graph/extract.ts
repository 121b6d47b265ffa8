import { type Mention, mentionsIn, type Token, tagsOf, tokensOf } from '../../conversation/index.ts';
import { sentences } from '../../corpus/index.ts';
import type { Triple } from './types.ts';

/** Words between subject and object at most; with more between them, they rarely belong together. */
const MAX_BETWEEN = 7;
const MAX_SENTENCE = 600;
/** Of one passage; a table of names would give thousands. */
const MAX_TRIPLES = 24;

const BE = /^(?:is|are|was|were|has|have|had|did|does|do|became|become|remains|remained)$/;
/** After these, what follows belongs to another clause or is denied. */
const BREAKS =
  /^(?:and|or|but|that|which|who|whom|whose|when|where|while|if|because|although|though|not|never|no|n't|than|as|so|he|she|it|they|we|i|you|isn't|wasn't|didn't|doesn't|weren't|aren't|hasn't|hadn't|until|include|includes|including|would|could|should|might|may)$/;
const PREPOSITION =
  /^(?:of|in|at|by|from|to|on|with|for|near|under|over|during|after|before|between|into|like|as|per|since|until)$/;
const DROPPED =
  /^(?:a|an|the|its|his|her|their|also|then|later|first|subsequently|eventually|finally|only|originally|officially)$/;
const POINTS = /^(?:it|he|she)$/;

/** A name or a year, with the words that it covers. */
interface Place extends Pick<Mention, 'name' | 'start' | 'end'> {
  /** First word and the word after the last. */
  from: number;
  to: number;
}

/**
 * Triples of a passage by patterns: two names (or a name and a year) in one sentence with nothing but a verb phrase
 * between them. Strict on purpose: the subject hangs on no preposition, nothing is denied or only possible, no clause
 * begins in between, and neither name goes on as part of a longer noun phrase. A pronoun that opens a sentence stands
 * for `title` when that is a name with which the sentence before begins. English; time is linear in the text.
 */
export function triplesIn(text: string, title: string): Triple[] {
  const triples: Triple[] = [];
  const topic = titleName(title);
  let named = false;
  for (const { start, end } of sentences(text, 0, text.length)) {
    if (end - start > MAX_SENTENCE) continue;
    const sentence = text.slice(start, end);
    for (const triple of triplesOf(sentence, named ? topic : null)) {
      triples.push(triple);
      if (triples.length === MAX_TRIPLES) return triples;
    }
    named = topic !== null && opensWith(sentence, topic);
  }
  return triples;
}

/** Whether a sentence begins with the name, or with its last word. */
function opensWith(sentence: string, name: string): boolean {
  const start = keyOf(sentence.slice(0, 2 * name.length + 4));
  const key = keyOf(name);
  return start.startsWith(`${key} `) || start.startsWith(`${key.split(' ').at(-1)!} `);
}

function triplesOf(sentence: string, topic: string | null): Triple[] {
  const tokens = tokensOf(sentence);
  const places = placesIn(sentence, tokens);
  const [first] = tokens;
  if (topic !== null && first !== undefined && POINTS.test(first.lower)) {
    places.unshift({ name: topic, start: first.start, end: first.end, from: 0, to: 1 });
  }
  const found: Triple[] = [];
  for (const [i, object] of places.entries()) {
    const subject = places[i - 1];
    if (subject === undefined || /^\d/.test(subject.name) || keyOf(subject.name) === keyOf(object.name))
      continue;
    const relation = relationBetween(sentence, tokens, subject, object);
    if (relation === null) continue;
    const confidence = subject.from === 0 && subject.name === topic && POINTS.test(first!.lower) ? 0.6 : 0.8;
    found.push({ subject: subject.name, relation, object: object.name, confidence });
  }
  return found;
}

/** Names and years that can be ends of a triple, in reading order. */
function placesIn(sentence: string, tokens: readonly Token[]): Place[] {
  const names = mentionsIn(sentence).filter(({ name, weak }) => !weak && !/ and /.test(name) && isNode(name));
  const years = tokens.filter(({ text }) => /^(?:1\d{3}|20\d{2})$/.test(text));
  const spans = [
    ...names.map(({ name, start, end }) => ({ name, start, end })),
    ...years
      .filter(({ start }) => !names.some((name) => name.start <= start && start < name.end))
      .map(({ text: name, start, end }) => ({ name, start, end })),
  ];
  return spans
    .map((span) => ({
      ...span,
      from: tokens.findIndex((token) => token.end > span.start),
      to: tokens.findLastIndex((token) => token.start < span.end) + 1,
    }))
    .sort((a, b) => a.start - b.start);
}

/** No pronoun or fragment: something of three letters at least, or a code. */
function isNode(name: string): boolean {
  return name.length <= 80 && (name.replace(/[^\p{L}]/gu, '').length >= 3 || /\p{L}-?\d/u.test(name));
}

function relationBetween(sentence: string, tokens: readonly Token[], a: Place, b: Place): string | null {
  const between = tokens.slice(a.to, b.from);
  if (between.length === 0 || between.length > MAX_BETWEEN) return null;
  const gap = sentence.slice(a.end, b.start);
  if (/[,;:()[\]—–"“”!?/_]|\.\s/.test(gap) || /^['’]/.test(gap)) return null;
  if (between.some(({ lower }) => BREAKS.test(lower))) return null;
  const before = tokens[a.from - 1];
  const beforeThat = tokens[a.from - 2];
  const article = before !== undefined && /^(?:the|an?)$/.test(before.lower);
  const hung = article ? beforeThat : before;
  if (hung !== undefined && PREPOSITION.test(hung.lower)) return null;
  // "the officers France sent", "a Norman named": a clause or a phrase that belongs to something else.
  if (
    before !== undefined &&
    sentence.slice(before.end, tokens[a.from]!.start).trim() === '' &&
    isPhrase(before)
  )
    return null;
  // "and Dublin": the second of a list is rarely the whole subject. "which the Seminole called": what they called is said
  // before.
  if (hung !== undefined && /^(?:and|or|which|whom|that)$/.test(hung.lower)) return null;
  const [head] = between.filter(({ lower }) => !DROPPED.test(lower) && !tagsOf(lower).includes('Adverb'));
  if (head === undefined || between.indexOf(head) > 1 || !isVerb(head)) return null;
  const last = between.at(-1)!;
  if (goesOn(sentence, tokens, b, PREPOSITION.test(last.lower))) return null;
  const words = between.map(({ lower }) => lower).filter((word) => !DROPPED.test(word));
  // "X is Y" alone says that two names are one, or that a word is missing.
  if (words.length === 0 || (words.length === 1 && BE.test(words[0]!))) return null;
  return words.join(' ');
}

/** A word before a name that makes it a part of something: a noun in small letters, or "a". */
function isPhrase({ lower, text }: Token): boolean {
  if (/^an?$/.test(lower)) return true;
  const tags = tagsOf(lower);
  return (
    text === lower &&
    (tags.length === 0 || tags.some((tag) => /^(?:Singular|Plural|Noun|Uncountable)$/.test(tag)))
  );
}

function isVerb({ lower, text }: Token): boolean {
  if (text !== lower) return false;
  if (BE.test(lower)) return true;
  const tags = tagsOf(lower);
  if (tags.some((tag) => /^(?:PastTense|PresentTense|Copula|Participle)$/.test(tag))) return true;
  return tags.length === 0 && /[^e]ed$/.test(lower);
}

/**
 * Whether the name only opens a longer phrase: "the Boston hotel", "Nobel's prize", "the 1893 Fair", or, where no
 * preposition stands `before` it, a clause: "asked the Office to look into it".
 */
function goesOn(
  sentence: string,
  tokens: readonly Token[],
  { name, to, end }: Place,
  before: boolean,
): boolean {
  if (/^['’]/.test(sentence.slice(end, end + 1))) return true;
  const next = tokens[to];
  if (next === undefined || sentence.slice(end, next.start).trim() !== '') return false;
  // "held the Commission had not proven": the name opens a clause.
  if (isVerb(next)) return true;
  if (next.lower === 'to' && !before) return true;
  if (/^\d/.test(name) && next.text !== next.lower) return true;
  const tags = tagsOf(next.lower);
  const noun = tags.some((tag) => /^(?:Singular|Plural|Noun|Uncountable)$/.test(tag));
  return next.text === next.lower && (noun || (tags.length === 0 && !/(?:ed|ing)$/.test(next.lower)));
}

/** The document's own name, out of a passage's title; null where that is no name. */
function titleName(title: string): string | null {
  const own = title
    .split(' > ')[0]!
    .replaceAll('_', ' ')
    .replace(/\s*\([^)]*\)/g, '')
    .trim();
  return /^\p{Lu}/u.test(own) && own.length <= 60 && isNode(own) ? own : null;
}

/** One name for all spellings of it: small letters, compatibility forms unified, no article. */
export function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').replace(/^the /, '').trim();
}
