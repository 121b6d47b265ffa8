/** Where one query holds several questions, by rules on its words; whatever is not surely two stays one. Pure. */

import { AUXILIARIES, FUNCTION_WORDS, type Token, tokensOf } from '../../conversation/index.ts';
import { sentences } from '../../corpus/index.ts';
import { type Clause, isQuestionWord, openingAt } from './clauses.ts';

/** A piece of a query, in its words. `fragment`: a question only where the one before fills it ("And when?"). */
export interface Piece {
  text: string;
  /** What stands before the first question of its sentence and holds for all of them ("In Git, "). */
  adverbial: string;
  kind: 'question' | 'fragment' | 'statement';
}

/** Whether a fragment becomes a question by the one before it. */
export type Fills = (fragment: string, question: string) => boolean;

interface Stretch {
  start: number;
  end: number;
}

/** Longer queries are asked as one. */
const MAX_CHARS = 4_000;
/** Places in one sentence that are looked at: the tagger takes a while for each. */
const MAX_BORDERS = 24;

/**
 * The questions, fragments and statements of a query, in order: its sentences, and within a sentence what "and" joins
 * where both sides are full questions. Enumerations, relative clauses and what stands in quotation marks or brackets
 * are never parted. Time is linear in the query, which counts as one question past 4,000 characters.
 */
export function piecesOf(query: string, fills: Fills): Piece[] {
  if (query.length > MAX_CHARS || !JOINED.test(query))
    return [{ text: query, adverbial: '', kind: 'question' }];
  const closed = enclosed(query);
  const marked = /[?？]/u.test(query);
  const pieces = stretchesOf(query, closed).flatMap((stretch) =>
    clausesOf(query, stretch, closed, { marked, fills }),
  );
  // A question behind it may mean all of them ("and who made them?").
  return pieces.length === 1 && pieces[0]!.kind === 'question' ? ofEach(pieces[0]!) : pieces;
}

/** What several things do or mean, named by a word each, with or without what they are ("the options -a and -b"). */
const OF_EACH =
  /^what do (?:(the \p{L}+)s )?((?:[^\s,]+, ){0,2}[^\s,]+),? and ([^\s,]+) (do|mean|return|stand for)([?？]*)$/iu;

/** One question of each thing: its entry says it, and entries seldom stand together. */
function ofEach(piece: Piece): Piece[] {
  const [, kind, others, last, verb, mark] = OF_EACH.exec(piece.text) ?? [];
  const names = others === undefined ? [] : [...others.split(', '), last!];
  if (names.length === 0 || names.some((name) => FUNCTION_WORDS.has(name.toLowerCase()))) return [piece];
  return names.map((name) => {
    const said = kind === undefined ? name : `${kind} ${name}`;
    const support = /^\p{Ll}{3,}s$/u.test(name) && kind === undefined ? 'do' : 'does';
    return { ...piece, text: `What ${support} ${said} ${verb}${mark}` };
  });
}

/** Without any of these a query is one sentence with one clause: most are, and the tagger takes a while. */
const JOINED = /\b(?:and|but|plus|also)\b|[,;\n–—]|[?？.!]["”')\]]{0,2}\s+\S/iu;

/** Quotations, brackets and code, in order. */
function enclosed(text: string): Stretch[] {
  return Array.from(
    text.matchAll(/"[^"\n]{1,300}"|“[^”\n]{1,300}”|\([^()\n]{1,300}\)|`[^`\n]{1,300}`/g),
    (match) => ({
      start: match.index,
      end: match.index + match[0].length,
    }),
  );
}

/** Its sentences, once more at their question marks; a mark without words goes to the sentence before. */
function stretchesOf(query: string, closed: readonly Stretch[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const sentence of sentences(query, 0, query.length)) {
    for (const stretch of atQuestionMarks(query, sentence, closed)) {
      const previous = stretches.at(-1);
      const words = /[\p{L}\p{N}]/u.test(query.slice(stretch.start, stretch.end));
      if (previous !== undefined && (!words || isInside(stretch.start, closed))) previous.end = stretch.end;
      else stretches.push(stretch);
    }
  }
  return stretches;
}

function isInside(at: number, closed: readonly Stretch[]): boolean {
  return closed.some(({ start, end }) => at > start && at < end - 1);
}

/** A sentence once more at its question marks, before a small letter too. */
function atQuestionMarks(text: string, { start, end }: Stretch, closed: readonly Stretch[]): Stretch[] {
  const cuts: number[] = [];
  for (const match of text.slice(start, end).matchAll(/[?？]+["”')\]]{0,2}(?=\s)|\n/gu)) {
    const at = start + match.index;
    if (!isInside(at, closed)) cuts.push(at + match[0].length);
  }
  const edges = [start, ...cuts, end];
  return edges.slice(1).flatMap((to, i) => {
    const from = edges[i]!;
    const words = text.slice(from, to);
    const lead = words.length - words.trimStart().length;
    return words.trim() === '' ? [] : [{ start: from + lead, end: from + lead + words.trim().length }];
  });
}

/** The number or the dot of a list, and "if so", which leans on the question before. */
const LEAD =
  /^(?:\(?\d{1,2}[.)]\s+|[-*•]\s+)?(?:(?:and )?if (?:so|yes|it (?:is|does)),?\s+(?:then\s+)?)?(?=\S)/i;

interface Context {
  /** Whether there is a question mark anywhere in the query. */
  marked: boolean;
  fills: Fills;
}

/** The questions that one sentence holds. */
function clausesOf(
  query: string,
  { start, end }: Stretch,
  closed: readonly Stretch[],
  { marked, fills }: Context,
): Piece[] {
  const said = query.slice(start, end);
  const text = said.slice(LEAD.exec(said)![0].length);
  const offset = end - text.length;
  const inside = closed.map((each) => ({ start: each.start - offset, end: each.end - offset }));
  const tokens = tokensOf(text);
  const asks = /[?？]["”')\]]{0,2}$/u.test(text);
  const opened = mainClause(text, tokens, start > 0 && isTail(query, text));
  if (opened === null || opened.clause.opening === 'bare' || isTag(tokens, opened.at)) {
    return [{ text: said, adverbial: '', kind: asks || opened !== null ? 'fragment' : 'statement' }];
  }
  if (!asks && marked && opened.clause.opening !== 'request')
    return [{ text: said, adverbial: '', kind: 'statement' }];
  const pieces: Piece[] = [];
  let { at, clause } = opened;
  let from = tokens[at]!.start;
  const first = text.slice(0, from);
  const adverbial = /[,:]\s*$/.test(first) ? capitalised(unled(first)) : '';
  const mark = /[?？.!]+["”')\]]{0,2}$/u.exec(text)?.[0] ?? '?';
  const whole = (words: string) => {
    const cased = adverbial === '' ? capitalised(words) : words;
    return /[?？.!]["”')\]]{0,2}$/u.test(cased) ? cased : `${cased}${mark}`;
  };
  for (let i = at + 1, looked = 0; i < tokens.length && looked < MAX_BORDERS; i++) {
    const border = borderAt(text, tokens, i, inside);
    if (border === null) continue;
    looked += 1;
    const opens = behindCondition(text, tokens, border);
    const next = openingAt(text, tokens, opens, false);
    if (next === null || !isParted(tokens, { at, clause, end: i }, { ...border, clause: next })) continue;
    const cut = tokens[border.opens]!.start;
    const left = whole(closing(text, from, tokens[i - 1]!.end));
    const bare = next.opening === 'bare';
    if (bare && !fills(whole(text.slice(cut)), left)) continue;
    pieces.push({ text: left, adverbial, kind: 'question' });
    if (bare) return [...pieces, { text: whole(text.slice(cut)), adverbial, kind: 'fragment' }];
    from = cut;
    at = opens;
    clause = next;
    i = opens;
  }
  if (pieces.length === 0 && start === 0) return [{ text, adverbial: '', kind: 'question' }];
  return [...pieces, { text: whole(text.slice(from)), adverbial, kind: 'question' }];
}

/** The text between two places, with the quotation marks and brackets that close behind it. */
function closing(text: string, from: number, to: number): string {
  return text.slice(from, to) + (/^["”'’)\]]{1,3}/.exec(text.slice(to, to + 3))?.[0] ?? '');
}

/** Without the "and" or "also" that a sentence opens with. */
function unled(text: string): string {
  return text.replace(/^(?:(?:and|but|so|also|then)\b[,\s]*){1,3}/i, '');
}

function capitalised(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

const LEADS = /^(?:and|but|so|also|then|ok|okay|well|hi|hello|hey|please)$/;
const ADVERBIAL = 16;

/** "Who is Cletis Tout? was a comedy film": a small letter in a query that opens with a large one. */
function isTail(query: string, text: string): boolean {
  return /^\P{L}{0,3}\p{Lu}/u.test(query) && /^\P{L}{0,3}\p{Ll}/u.test(text);
}

/** Where the sentence's first question opens: at its start, behind "and", or behind a first phrase with its comma. */
function mainClause(
  text: string,
  tokens: readonly Token[],
  tail: boolean,
): { at: number; clause: Clause } | null {
  let at = 0;
  while (
    at < 3 &&
    tokens[at] !== undefined &&
    LEADS.test(tokens[at]!.lower) &&
    tokens[at]!.lower !== 'please'
  )
    at += 1;
  const first = openingAt(text, tokens, at, !tail);
  if (tail) return first?.opening === 'inverted' ? { at, clause: first } : null;
  if (first !== null) return { at, clause: first };
  for (let i = 1; i < Math.min(tokens.length, ADVERBIAL); i++) {
    if (!/^\s*[,:]\s*$/.test(text.slice(tokens[i - 1]!.end, tokens[i]!.start))) continue;
    const clause = openingAt(text, tokens, i, true);
    if (clause !== null && clause.opening !== 'request' && clause.opening !== 'subject')
      return { at: i, clause };
  }
  return null;
}

/** "Is that right?", "can you help me?": it asks for nothing that documents hold. */
function isTag(tokens: readonly Token[], at: number): boolean {
  const said = tokens
    .slice(at)
    .map(({ lower }) => lower)
    .join(' ');
  return TAG.test(said);
}

const TAG =
  /^(?:(?:is|was|are|isn't) (?:it|that|this|there)(?: (?:right|correct|true|ok|okay|possible|so|normal|a way))?|(?:can|could|would|will) (?:you|anyone|anybody|someone|somebody)(?: please)? (?:help|assist|advise)(?: (?:me|us))?(?: (?:out|please|with (?:this|that|it)))?|does (?:anyone|anybody|someone|somebody) know(?: (?:this|that))?|how are you(?: (?:doing|today))*|what's up|who knows|why not)$/;

interface Border {
  /** Place of the token that the next question opens with. */
  opens: number;
  comma: boolean;
  conjunction: boolean;
}

/** What may part two questions before token `i`: "and" with what goes with it, a comma or a semicolon. */
function borderAt(
  text: string,
  tokens: readonly Token[],
  i: number,
  closed: readonly Stretch[],
): Border | null {
  if (isInside(tokens[i]!.start, closed)) return null;
  const between = text.slice(tokens[i - 1]!.end, tokens[i]!.start);
  const comma = /^["”')\]]{0,2}\s*[,;?–—-]\s*["“(]?$/u.test(between);
  let opens = i;
  while (opens < tokens.length && opens < i + 4 && JOINS.test(tokens[opens]!.lower)) opens += 1;
  const conjunction = opens > i && /^(?:and|but|plus|also)$/.test(tokens[i]!.lower);
  if (opens > i && !conjunction) opens = i;
  return conjunction || comma ? { opens, comma, conjunction } : null;
}

/** "And if it is not connected, what will I do?": the question opens behind the comma. */
function behindCondition(text: string, tokens: readonly Token[], { opens, conjunction }: Border): number {
  if (!conjunction || tokens[opens]?.lower !== 'if') return opens;
  for (let i = opens + 1; i < Math.min(tokens.length, opens + ADVERBIAL); i++) {
    if (/^\s*,\s*$/.test(text.slice(tokens[i - 1]!.end, tokens[i]!.start))) return i;
  }
  return opens;
}

const JOINS = /^(?:and|but|plus|also|then|so)$/;

const WITH_VERB = /^(?:do|does|did|can|could|will|would|shall|should|must|may|might)$/;

interface Left {
  at: number;
  clause: Clause;
  /** Place of the token behind it. */
  end: number;
}

/** Whether what stands on both sides of a border are two questions. */
function isParted(tokens: readonly Token[], left: Left, right: Border & { clause: Clause }): boolean {
  const { clause, end } = left;
  const next = right.clause;
  const last = tokens[end - 1]!;
  // "How long is and how wide is the bridge?": what is left out stands behind. "What does it do" ends with its verb.
  if (end <= clause.from || /^(?:the|an?|to|of|than|as|and|or|between)$/.test(last.lower)) return false;
  const support = WITH_VERB.test(tokens[clause.from - 1]?.lower ?? '');
  if (AUXILIARIES.has(last.lower) && !(last.lower === 'do' && support)) return false;
  // "What can I and can I not ask?": an auxiliary with its subject asks nothing.
  if (end - clause.from < 2 && support) return false;
  // "What Would Jesus Buy" is a title.
  if (next.opening === 'inverted' && tokens[right.opens]!.capital && tokens[right.opens + 1]!.capital)
    return false;
  const inner = tokens.slice(left.at, end);
  const clauses = inner.slice(1).filter((token) => isQuestionWord(token)).length;
  // "Between what he was and what is": one comparison.
  if (inner.some(({ lower }) => /^(?:between|both|either|neither|whether)$/.test(lower))) return false;
  if (!support && shared(tokens, left, right.opens)) return false;
  // "Had he not died, what would have come of it?": without "and" the first must be a question for sure.
  const adverb = next.opening === 'inverted' && /^(?:what|how|when|where|why)$/.test(next.word);
  if (!right.conjunction && (!adverb || clause.opening === 'polar')) return false;
  switch (next.opening) {
    case 'inverted':
      // "Who is the man who was born here and who was the king?" goes on with a relative clause.
      return (
        !/^(?:who|which|whom|whose)$/.test(next.word) || !isRelative(inner, clause, tokens[next.from - 1]!)
      );
    case 'infinitive':
      return clauses === 0 && !/^(?:polar|request)$/.test(clause.opening);
    case 'direct':
      return clauses === 0 && clause.opening === 'inverted' && clause.word === 'what' && inner.length <= 7;
    case 'subject':
      if (/^(?:polar|request)$/.test(clause.opening)) return false;
      // "Which option keeps it" is no relative clause; behind "what" or "how" it might be one of several objects.
      if (next.from > right.opens + 1 && next.word !== 'whose')
        return !inner.slice(1).some(({ lower }) => /^(?:what|how|why)$/.test(lower));
      return clauses === 0 && !isRelative(inner, clause, tokens[next.from]!);
    case 'polar':
      // "Can I report it and have it stopped?"
      if (/^(?:have|had|do)$/.test(next.word) && clause.opening === 'polar') return false;
      return SUBJECT.test(tokens[next.from]!.lower) || clause.opening === 'polar';
    case 'request':
      return clause.opening !== 'polar' && isPlea(tokens, right.opens);
    case 'bare':
      return clauses === 0;
  }
}

/** "And explain how", "and please list": other verbs go on with what somebody does in the clause before. */
function isPlea(tokens: readonly Token[], opens: number): boolean {
  const [verb, object] = [tokens[opens]!.lower, tokens[opens + 1]?.lower ?? ''];
  return (
    /^(?:please|explain|describe)$/.test(verb) || (/^(?:tell|show)$/.test(verb) && /^(?:me|us)$/.test(object))
  );
}

const SUBJECT = /^(?:i|you|he|she|it|we|they|there|this|that|these|those|anyone|someone)$/;

/**
 * Whether a clause with "who" or "which" may go on with the one before: a relative clause stands there, or "who" asks
 * there too and this is told of the past ("who was the lead singer and who was born in 1968").
 */
const PRESENT = /^(?!was$|has$)(?:\S*[^s]s|are|do|can|should|will|must|may)$/;

function isRelative(inner: readonly Token[], { word }: Clause, verb: Token): boolean {
  if (word === 'who' && !PRESENT.test(verb.lower)) return true;
  return inner.slice(1).some(({ lower }) => /^(?:who|which|that|whom|whose|where)$/.test(lower));
}

/** "What are the benefits and what are the costs of the plan?": the first has its complement in the second. */
function shared(tokens: readonly Token[], { clause, end }: Left, opens: number): boolean {
  const noun = tokens.slice(clause.from, end).map(({ lower }) => lower);
  if (noun[0] !== 'the' || noun.length > 4 || noun.some((word, i) => i > 0 && FUNCTION_WORDS.has(word)))
    return false;
  return tokens.slice(opens).some(({ lower }) => /^(?:of|for)$/.test(lower));
}
