import { clarifiedQuestion } from './answers.ts';
import { selfContained } from './self-contained.ts';
import type { SelfContained, Turn } from './types.ts';

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
  const replies: Standing['replies'] = [];
  let said = query;
  let turn = history.length;
  while (replies.length < MOST_REPLIES) {
    const clarified = clarifiedQuestion(said, history, turn);
    if (clarified === null) break;
    const { asked, question, questionTurn, values } = clarified;
    replies.unshift({ variable: variableOf(asked, question), value: values.join(', ') });
    said = question;
    turn = questionTurn;
  }
  return replies;
}

/** What a question of ours asked for: a word of the user's that it quotes, what follows its "which", or all of it. */
function variableOf(asked: string, question: string): string {
  const lower = question.toLowerCase();
  for (const [, word] of asked.slice(0, 4_000).matchAll(/["“]([^"”]{1,80})["”]/g)) {
    if (lower.includes(word!.toLowerCase())) return word!;
  }
  const which = /\bwhich ([\p{L}][\p{L}\p{N} -]{0,60}?) (?:do|did|does|is|are|was|were)\b/iu.exec(
    asked.slice(-1_000),
  );
  return which?.[1] ?? asked.trim().split('\n').at(-1)!.slice(-200);
}
