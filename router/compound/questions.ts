/** The questions of one query, each made to stand alone. */
import { type Standing, standing, type Turn, tokensOf } from '../../conversation/index.ts';
import { type Fills, type Piece, piecesOf } from './split.ts';

/** Questions of one query that are looked at. */
const MOST = 4;
/** Fragments that are tried; more stay with the question before them. */
const MOST_FRAGMENTS = 8;

/** A query as its questions. */
export interface Questions {
  /** At most four, in order; each stands alone as far as what was said before it tells. One: the query as it was asked. */
  asked: Standing[];
  /** The words of what comes after the fourth; null: nothing does. */
  rest: string | null;
}

/**
 * The questions of a query. A statement goes to the question behind it; a question that refers to an earlier one is made
 * whole as if that had been the user's turn before; a fragment that cannot be filled stays with the question before it.
 * A reply to a question of ours is looked at as it stands in full. Pure.
 */
export function questionsOf(query: string, history: readonly Turn[]): Questions {
  const one = standing(query, history);
  const replies = one.rewrite?.reasons.some(({ rule }) => rule === 'ANSWER' || rule === 'REFUSAL') === true;
  let tried = 0;
  const fills: Fills = (fragment, question) => {
    tried += 1;
    if (tried > MOST_FRAGMENTS) return false;
    const filled = standing(fragment, [...history, { role: 'user', text: question }]);
    return filled.rewrite?.reasons.some(({ rule }) => rule === 'ELLIPSIS') === true;
  };
  const parts = united(piecesOf(replies ? one.text : query, fills), fills);
  if (parts.length <= 1) return { asked: [one], rest: null };
  const said = parts.map(({ text, adverbial }) => `${adverbial}${text}`);
  const asked = parts.slice(0, MOST).map(({ text, adverbial }, i): Standing => {
    if (i === 0) {
      const text = said[0]!;
      return replies
        ? { ...one, text, rewrite: { ...one.rewrite!, text } }
        : { ...one, ...standing(text, history) };
    }
    const before = parts.slice(0, i).map((part): Turn => ({ role: 'user', text: part.text }));
    const own = standing(text, [...history, ...before]);
    return { ...own, text: `${adverbial}${own.text}`, replies: one.replies, history };
  });
  // "Who founded it and when did he die?": only the answer to the first says who is meant.
  if (asked.some(({ text }, i) => i > 0 && refersToAnswer(text, said.slice(0, i)))) {
    return { asked: [one], rest: null };
  }
  return { asked, rest: said.length > MOST ? said.slice(MOST).join(' ') : null };
}

function refersToAnswer(text: string, before: readonly string[]): boolean {
  const people = tokensOf(text).some(({ lower }) => /^(?:he|him|his|she|hers?|they|them|their)$/.test(lower));
  return people && before.some((question) => /^\s*who\b/i.test(question));
}

/** The questions: statements with the one behind them, fragments that nothing fills with the one before. */
function united(pieces: readonly Piece[], fills: Fills): Omit<Piece, 'kind'>[] {
  const questions: Omit<Piece, 'kind'>[] = [];
  let context = '';
  const behind = (text: string) => {
    const last = questions.at(-1)!;
    last.text = `${last.text} ${context}${text}`.trimEnd();
    context = '';
  };
  for (const { text, adverbial, kind } of pieces) {
    const previous = questions.at(-1);
    if (kind === 'statement' || (kind === 'fragment' && previous === undefined)) context += `${text} `;
    else if (kind === 'fragment' && !fills(text, previous!.text)) behind(text);
    else {
      // A statement before it is part of what it says.
      questions.push(
        context === '' ? { text, adverbial } : { text: `${context}${adverbial}${text}`, adverbial: '' },
      );
      context = '';
    }
  }
  if (context !== '' && questions.length > 0) behind('');
  return questions;
}
