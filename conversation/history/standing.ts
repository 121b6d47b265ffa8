import { clarifiedQuestion, exchangeBefore } from './answers.ts';
import { variableIn } from './questions.ts';
import { selfContained } from './self-contained.ts';
import type { ClarifiedQuestion, SelfContained, Turn } from './types.ts';

/** A query of a conversation as it is routed. */
export interface Standing {
  /** The query as it stands without its history. */
  text: string;
  /** What the history made of the query; null without one. */
  rewrite: SelfContained | null;
  /** What the user answered to our questions about this query, oldest first. */
  replies: { variable: string; value: string }[];
  history: readonly Turn[];
}

/** Replies that one question is followed back through. */
const MOST_REPLIES = 16;

/**
 * The query made to stand alone, and the replies that went into it: a reply to our question is put into the question
 * that it was about, and that one may have been a reply itself. Contradicting replies: the last one about a piece
 * holds. An answer to a question that was never asked is a query like any other. Pure.
 */
export function standing(query: string, history: readonly Turn[]): Standing {
  const rewrite = history.length === 0 ? null : selfContained(query, history);
  return {
    text: rewrite?.text ?? query,
    rewrite,
    replies: repliesOf(query, history),
    history,
  };
}

function repliesOf(query: string, history: readonly Turn[]): Standing['replies'] {
  return repliesTo(query, history).flatMap(({ asked, question, values }) =>
    values.length === 0 ? [] : [{ variable: variableOf(asked, question), value: values.join(', ') }],
  );
}

/** The questions of ours that the words at turn `at` reply to, one through the other; oldest first. */
function repliesTo(words: string, history: readonly Turn[], at = history.length): ClarifiedQuestion[] {
  const replies: ClarifiedQuestion[] = [];
  let said = words;
  let turn = at;
  while (replies.length < MOST_REPLIES) {
    const clarified = clarifiedQuestion(said, history, turn);
    if (clarified === null) break;
    replies.unshift(clarified);
    said = clarified.question;
    turn = clarified.questionTurn;
  }
  return replies;
}

/**
 * The variables that the user was asked for on the way to `text`, a query as it stands, and has replied to: with a value,
 * which is in it by now (`replied`), or with none, and then `text` is the question that we asked about. Asking for them
 * again would tell nothing more. Pure.
 */
export function askedOn(text: string, history: readonly Turn[], replied: boolean): ReadonlySet<string> {
  const last = exchangeBefore(history, history.length);
  if (last === null) return new Set();
  const { question, questionTurn } = last;
  if (!replied && standing(question, history.slice(0, questionTurn)).text !== text) return new Set();
  const exchanges = [...repliesTo(question, history, questionTurn), last];
  return new Set(exchanges.map((one) => variableOf(one.asked, one.question)));
}

/**
 * What a question of ours asked for. Of somebody else's, a word of the user's that it quotes, what follows its "which", or
 * all of it.
 */
function variableOf(asked: string, question: string): string {
  const ours = variableIn(asked);
  if (ours !== null) return ours;
  const lower = question.toLowerCase();
  for (const [, word] of asked.slice(0, 4_000).matchAll(/["“]([^"”]{1,80})["”]/g)) {
    if (lower.includes(word!.toLowerCase())) return word!;
  }
  const which = /\bwhich ([\p{L}][\p{L}\p{N} -]{0,60}?) (?:do|did|does|is|are|was|were)\b/iu.exec(
    asked.slice(-1_000),
  );
  return which?.[1] ?? asked.trim().split('\n').at(-1)!.slice(-200);
}
