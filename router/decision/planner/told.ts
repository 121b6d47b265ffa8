import { toStatement } from '../../../scorers/index.ts';
import type { Query } from '../../contracts.ts';

type Turns = readonly NonNullable<Query['history']>[number][];

/** A question of the conversation and what the user said to it. `yes`: null where the reply is neither. */
export interface Reply {
  question: string;
  reply: string;
  yes: boolean | null;
}

/** What the user said in the turns before the query. */
export interface Told {
  replies: readonly Reply[];
  /** The user's own words besides replies to questions. */
  own: readonly string[];
  /** Whether the last turn is a question to the user. */
  asked: boolean;
}

/** Turns that are read, the last ones, and how much of each. */
const TURNS = 40;
const CHARS = 2_000;

const YES =
  /^\W*(?:yes|yeah|yep|yup|sure|correct|right|indeed|true|i (?:do|am|have|did|was|can|will)\b(?! not))/i;
const NO =
  /^\W*(?:no|nope|nah|not|never|wrong|false|neither|i (?:do|am|have|did|was|can|will)(?: not|n['’]t)|i (?:don|didn|haven|can|wasn|won)['’]t)\b/i;

/** Replies and own words, oldest first. A question is a turn of the other side that ends with a question mark. */
export function toldIn(history: Turns): Told {
  const read = history.slice(-TURNS).map(({ role, text }) => ({ role, text: text.slice(0, CHARS).trim() }));
  const replies: Reply[] = [];
  const own: string[] = [];
  for (const [i, { role, text }] of read.entries()) {
    if (role !== 'user' || text === '') continue;
    const before = read[i - 1];
    if (before !== undefined && isQuestion(before)) {
      const yes = NO.test(text) ? false : YES.test(text) ? true : null;
      replies.push({ question: before.text, reply: text, yes });
      // A reply that says more than yes or no is the user's word as well.
      if (text.split(/\s+/).length > 6) own.push(text);
    } else own.push(text);
  }
  const last = read.at(-1);
  return { replies, own, asked: last !== undefined && isQuestion(last) };
}

function isQuestion({ role, text }: { role: string; text: string }): boolean {
  return role === 'assistant' && /\?["'”’)\s]*$/.test(text);
}

/** What the user told, as statements: own words, then each question turned into what its reply says. */
export function statementsOf({ replies, own }: Told): string {
  const said = replies.map(({ question, reply, yes }) => {
    if (yes === null) return `${question} ${reply}`;
    return toStatement(question.split(/(?<=\?)\s+/).at(-1)!, yes ? 'yes' : 'no');
  });
  return [...own, ...said].join(' ');
}
