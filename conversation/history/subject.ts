import { openTagger } from '../state/index.ts';
import { EMPTY_NOUNS, isExpletive } from './phrase.ts';
import { AUXILIARIES, FUNCTION_WORDS, QUESTION_WORDS } from './words.ts';

type Tagged = ReturnType<ReturnType<typeof openTagger>>[number];

/**
 * How a noun phrase refers. `definite`: it says by itself which thing is meant, by a word that qualifies its noun ("the
 * platform team") or a complement ("the deadline for claims"). `generic`: things of a kind, or the speaker's own
 * ("masts", "a licence", "my contract"). `anaphoric`: a bare noun that only the context tells ("the fee"). `asked`: what
 * the question asks for or whether there is any ("which songs", "any hits").
 */
type Reference = 'definite' | 'generic' | 'anaphoric' | 'asked';

interface NounPhrase {
  reference: Reference;
  /** Places of its first word (the determiner aside) and of its noun. */
  from: number;
  to: number;
}

const THIRD = /^(?:this|that|these|those|his|her|its|their|other|another|same|such)$/;
const COMPLEMENT = /^(?:of|for|on|about|to|with|from|by|against|between)$/;
const RELATIVE = /^(?:that|which|who)$/;
const ADJUNCT = /^(?:in|at|during|after|before|since|until|within|through|instead)$/;
const ANY = /^(?:any|some|no|more)$/;
const ASKS = /^(?:what|which|whose|there)$/;
const OWN = /^(?:an?|my|our|your)$/;
/** They rank or judge a thing among others that the context tells, and do not say which thing it is. */
const RANKING: ReadonlySet<string> = new Set(
  (
    'first second third last final next main original new old whole entire full current present previous former ' +
    'latter certain specific particular exact possible good bad best worst great interesting important notable special ' +
    'common big small major minor different overall total actual real other more most critical famous'
  ).split(' '),
);

/**
 * Whether a question has a subject of its own, and so can be asked without what was said before: a noun phrase that is
 * definite by itself, or a generic one before any that is anaphoric. A question is elliptical, and has none, where it
 * says no more than pronouns, bare nouns with "the" and what it asks for; where a pronoun comes before all that is
 * definite; and where it has no verb and nothing definite. English, by the tagger's parts of speech.
 */
export function hasOwnSubject(question: string): boolean {
  const words = openTagger()(question);
  const phrases = nounPhrases(question, words);
  const pronoun = words.findIndex((_, i) => isPronoun(words, i));
  const definite = phrases.find(({ reference }) => reference === 'definite');
  if (definite !== undefined && (pronoun < 0 || definite.from < pronoun)) return true;
  const [first] = phrases.filter(({ reference }) => reference !== 'asked');
  const further = words.some((word) => /^(?:else|others?|another)$/.test(lower(word)));
  return first?.reference === 'generic' && pronoun < 0 && !further && words.some(isVerb);
}

/** A thing that a question speaks of: its words as they may stand in another question, its noun in small letters. */
export interface Thing {
  phrase: string;
  noun: string;
  plural: boolean;
  /** Names a kind: "tags", "a tag". */
  generic: boolean;
}

/** The things that a question speaks of, in order, without what it asks for. English, by the tagger. */
export function thingsIn(question: string): Thing[] {
  const words = openTagger()(question);
  return nounPhrases(question, words).flatMap(({ reference, from, to }) => {
    const before = words[from - 1];
    if ((reference === 'asked' && lower(before) !== 'any') || /^others?$/.test(lower(words[to]))) return [];
    const named = question.slice(words[from]!.start, words[to]!.end);
    const noun = lower(words[to]);
    const plural = words[to]!.tags.has('Plural') || /[^s]s$/.test(noun);
    const determined = /^(?:the|an?|all|any|every|each)$/.test(lower(before)) || (plural && named === noun);
    return [{ phrase: determined ? `the ${named}` : named, noun, plural, generic: reference === 'generic' }];
  });
}

/** "Billing" from "Which team owns billing?": a last word that is no noun by the tagger but stands as a verb's object. */
export function lastObject(question: string): string | null {
  const [verb, word] = openTagger()(question).slice(-2);
  if (word === undefined || !verb!.tags.has('Verb') || AUXILIARIES.has(lower(verb))) return null;
  return word.tags.has('Gerund') && !isFunctionWord(word) ? word.text : null;
}

function nounPhrases(text: string, words: readonly Tagged[]): NounPhrase[] {
  const phrases: NounPhrase[] = [];
  for (let from = 0; from < words.length; from++) {
    let to = -1;
    for (let at = from; at < words.length && (isNoun(words, at) || qualifies(words[at]!)); at++) {
      if (at > from && text.slice(words[at - 1]!.end, words[at]!.start).trim() !== '') break;
      if (isNoun(words, at)) to = at;
    }
    if (to < 0) continue;
    const end = inverted(words, from, to) ? to - 1 : to;
    // "The first album", "the six pictures": what ranks and counts belongs to the phrase, however it is tagged.
    let start = from;
    while (start > 0 && ranks(words[start - 1]!)) start -= 1;
    phrases.push({ reference: referenceOf(words, start, end), from: start, to: end });
    from = to;
  }
  return phrases.map((phrase, i) => complemented(words, phrase, phrases[i + 1]));
}

/** "Did the band tour?": where no other verb follows the auxiliary, the last word before what else is said is one. */
function inverted(words: readonly Tagged[], from: number, to: number): boolean {
  const support = words.findLastIndex((word, i) => i < from && /^(?:do|does|did)$/i.test(word.text));
  if (support < from - 2 || support < 0 || to === from) return false;
  return !words.some((word, i) => i > to && isVerb(word));
}

/** How the phrase from word `from` to its noun at `to` refers. */
function referenceOf(words: readonly Tagged[], from: number, to: number): Reference {
  const [determiner, before] = [lower(words[from - 1]), lower(words[from - 2])];
  const qualified = words.slice(from, to).some((word) => !ranks(word));
  if (EMPTY_NOUNS.has(lower(words[to])) && !qualified) return 'asked';
  if (THIRD.test(determiner) || words.slice(from, to).some((word) => THIRD.test(lower(word))))
    return 'anaphoric';
  if (ANY.test(determiner)) return 'asked';
  if (qualified) return 'definite';
  const kindOf = determiner === 'of' && EMPTY_NOUNS.has(before) && ASKS.test(lower(words[from - 3]));
  const counted = /^(?:many|much)$/.test(determiner) && before === 'how';
  if (kindOf || counted || ASKS.test(determiner) || before === 'there') return 'asked';
  if (determiner === 'the' || /['’]s?$/.test(determiner) || (from < to && !OWN.test(determiner)))
    return 'anaphoric';
  // Where and when something happens is not what is asked about.
  return ADJUNCT.test(OWN.test(determiner) ? before : determiner) ? 'asked' : 'generic';
}

/**
 * "The deadline for claims", "the policy that covers theft": what a noun is of or for, or a relative clause, says which
 * one it is, unless only the context tells that too.
 */
function complemented(
  words: readonly Tagged[],
  phrase: NounPhrase,
  next: NounPhrase | undefined,
): NounPhrase {
  const { reference, from, to } = phrase;
  if (reference !== 'anaphoric' || lower(words[from - 1]) !== 'the') return phrase;
  const joint = lower(words[to + 1]);
  const complement = COMPLEMENT.test(joint) && next?.reference === 'generic' && next.from - to <= 3;
  const clause = RELATIVE.test(joint) && words[to + 2] !== undefined && isVerb(words[to + 2]!);
  return complement || clause ? { ...phrase, reference: 'definite' } : phrase;
}

/** A pronoun or demonstrative that stands for something said before; "that" only where it opens no clause. */
function isPronoun(words: readonly Tagged[], i: number): boolean {
  const word = lower(words[i]);
  if (word === 'it') return !isExpletive(words.slice(i + 1).map(lower));
  if (/^(?:they|them|he|him|she|this|these|those)$/.test(word)) return true;
  const before = lower(words[i - 1]);
  return word === 'that' && (before === '' || AUXILIARIES.has(before) || FUNCTION_WORDS.has(before));
}

function lower(word: Tagged | undefined): string {
  return word?.text.toLowerCase() ?? '';
}

function isFunctionWord(word: Tagged): boolean {
  const text = lower(word);
  return FUNCTION_WORDS.has(text) || AUXILIARIES.has(text) || QUESTION_WORDS.has(text);
}

function isNoun(words: readonly Tagged[], i: number): boolean {
  const word = words[i]!;
  const { tags } = word;
  if (isFunctionWord(word) || RANKING.has(lower(word))) return false;
  if (tags.has('Noun')) return !tags.has('Pronoun') && !tags.has('Possessive');
  return tags.has('PresentTense') && inSubjectPlace(words, i);
}

/** "How often do volunteers meet?", "is parking free?": taken for a verb where the subject of a question stands. */
function inSubjectPlace(words: readonly Tagged[], i: number): boolean {
  const auxiliary = lower(words[i - 1]);
  if (!AUXILIARIES.has(auxiliary) || words[i + 1] === undefined) return false;
  const progressive =
    /^(?:who|what|which)$/.test(lower(words[i - 2])) && !/^(?:do|does|did)$/.test(auxiliary);
  return !progressive && (i < 2 || QUESTION_WORDS.has(lower(words[0])));
}

function qualifies(word: Tagged): boolean {
  return (word.tags.has('Adjective') || word.tags.has('Gerund')) && !isFunctionWord(word);
}

function ranks(word: Tagged): boolean {
  const { tags } = word;
  return RANKING.has(lower(word)) || tags.has('Superlative') || tags.has('Comparative') || tags.has('Value');
}

function isVerb(word: Tagged): boolean {
  return word.tags.has('Verb') || AUXILIARIES.has(lower(word));
}
