/** Whether a question starts at a word, by word lists and, where these do not tell, the tagger. English only. */
import {
  AUXILIARIES,
  FUNCTION_WORDS,
  openTagger,
  QUESTION_WORDS,
  type Token,
} from '../../conversation/index.ts';

/**
 * How a question opens. `inverted`: "what is", "how do I", "which plan does", no clause of another question;
 * `infinitive`: "how to"; `subject`: "who leads", which could also go on with a clause before it; `direct`: "how it
 * works", said like a clause; `polar`: "is it", "can I"; `request`: "explain"; `bare`: "why?", to be filled.
 */
export type Opening = 'inverted' | 'infinitive' | 'subject' | 'direct' | 'polar' | 'request' | 'bare';

export interface Clause {
  opening: Opening;
  /** The question word in small letters; the auxiliary or the verb of a polar question or a request. */
  word: string;
  /** Place of the first token behind the question word and its auxiliary. */
  from: number;
}

const MOST_NOUNS = 4;
const PREPOSITION =
  /^(?:in|on|at|to|for|from|with|by|of|under|during|after|before|until|since|through|within)$/;
const SUBJECT_PRONOUN =
  /^(?:i|you|he|she|it|we|they|there|this|that|these|those|one|anyone|someone|anything)$/;
const DETERMINER = /^(?:the|an?|my|our|your|his|her|its|their|all|any|every|each|both|some|no)$/;
/** Function words that belong to what is asked for: "how many of the", "which other". */
const IN_GROUP = /^(?:of|more|much|many|most|other|others|else|one|ones|few|first|last|far|long|often|old)$/;
const REQUEST = /^(?:explain|describe|tell|show|list|summari[sz]e|compare|define)$/;

/** The question that opens at token `at` of a text; null where none does. `alone`: nothing stands before it. */
export function openingAt(text: string, tokens: readonly Token[], at: number, alone: boolean): Clause | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const before = PREPOSITION.test(token.lower) && isQuestionWord(tokens[at + 1]) ? 1 : 0;
  if (isQuestionWord(tokens[at + before])) return asking(text, tokens, at + before, before > 0);
  if (AUXILIARIES.has(token.lower)) return polar(tokens, at, alone);
  const polite = token.lower === 'please' ? 1 : 0;
  const verb = tokens[at + polite];
  const asked = verb !== undefined && (REQUEST.test(verb.lower) || (alone && polite > 0));
  const told = asked && tokens[at + polite + 1] !== undefined;
  return told ? { opening: 'request', word: verb.lower, from: at + polite + 1 } : null;
}

/** Whether token `at` is a question word anywhere in a clause. */
export function isQuestionWord(token: Token | undefined): boolean {
  return token !== undefined && QUESTION_WORDS.has(wordOf(token));
}

function wordOf({ lower }: Token): string {
  return lower.replace(/'(?:s|re|d|ll|ve)$/, '');
}

function isAuxiliary(token: Token | undefined): boolean {
  return token !== undefined && AUXILIARIES.has(token.lower) && !/^(?:be|been|being)$/.test(token.lower);
}

function asking(text: string, tokens: readonly Token[], at: number, prepositional: boolean): Clause | null {
  const token = tokens[at]!;
  const word = wordOf(token);
  const next = tokens[at + 1];
  if (next === undefined) return prepositional ? null : { opening: 'bare', word, from: at + 1 };
  const inverted = (from: number): Clause | null =>
    tokens[from] === undefined ? null : { opening: 'inverted', word, from };
  if (word !== token.lower) return inverted(at + 1);
  if (isAuxiliary(next)) return inverted(at + 2);
  if (next.lower === 'to' && /^(?:how|where|when|what|who|which)$/.test(word)) {
    return tokens[at + 2] === undefined ? null : { opening: 'infinitive', word, from: at + 2 };
  }
  const nouns = /^(?:what|which|whose|how)$/.test(word) ? MOST_NOUNS : 0;
  for (let i = at + 1; i <= at + nouns && tokens[i + 1] !== undefined; i++) {
    if (!joined(text, tokens, i)) break;
    if (FUNCTION_WORDS.has(tokens[i]!.lower) && !IN_GROUP.test(tokens[i]!.lower)) break;
    if (isAuxiliary(tokens[i + 1])) return inverted(i + 2);
  }
  if (prepositional) return null;
  if (word === 'how' && SUBJECT_PRONOUN.test(next.lower)) return { opening: 'direct', word, from: at + 1 };
  if (!/^(?:who|which|what|whose)$/.test(word) && nouns === 0) return null;
  const most = word === 'who' ? 1 : nouns;
  for (let i = at + 1; i <= at + most && tokens[i] !== undefined; i++) {
    if (isFiniteVerb(text, tokens, at, i)) return { opening: 'subject', word, from: i };
  }
  return null;
}

/** Whether only spaces part token `at` from the one before. */
function joined(text: string, tokens: readonly Token[], at: number): boolean {
  return text.slice(tokens[at - 1]!.end, tokens[at]!.start).trim() === '';
}

/** By the tagger, over the clause from its question word on: the verb may only be told by what stands before it. */
function isFiniteVerb(text: string, tokens: readonly Token[], from: number, at: number): boolean {
  const offset = tokens[from]!.start;
  const found = openTagger()(text.slice(offset)).find(({ start }) => start + offset === tokens[at]!.start);
  if (found === undefined) return false;
  const { tags } = found;
  return tags.has('PresentTense') || tags.has('PastTense');
}

/** Behind "and", an auxiliary opens a question only before a subject: "and is the author of it" goes on with one. */
function polar(tokens: readonly Token[], at: number, alone: boolean): Clause | null {
  const next = tokens[at + 1];
  if (next === undefined || !isAuxiliary(tokens[at])) return null;
  const named = DETERMINER.test(next.lower) || (next.capital && !next.opens);
  if (!alone && !SUBJECT_PRONOUN.test(next.lower) && !named) return null;
  return { opening: 'polar', word: tokens[at]!.lower, from: at + 1 };
}
