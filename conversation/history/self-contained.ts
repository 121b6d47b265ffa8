import { clarifiedQuestion, isQuestion } from './answers.ts';
import { Conversation } from './conversation.ts';
import { hasOwnSubject } from './subject.ts';
import type { SelfContained, Turn } from './types.ts';

/** Longer queries bring their own context, and are not looked at. */
const MAX_QUERY_CHARS = 2_000;

/**
 * The query as it can be asked without its history: an answer to our last question put into the question that it was
 * about (a refusal leaves that one as it was), a fragment into the last question, pronouns and general nouns into names,
 * and the topic behind a question that has no subject of its own. English, by rules; what no rule is sure of comes back
 * as it was. The last 40 turns and the first two are read, 2,000 characters of each; time does not grow with a longer
 * history. Pure.
 */
export function selfContained(query: string, history: readonly Turn[]): SelfContained {
  if (history.length === 0 || query.length > MAX_QUERY_CHARS) {
    return { text: query, changed: false, reasons: [], open: [] };
  }
  const refused = refusal(query, history);
  if (refused !== null) return refused;
  const conversation = new Conversation(history);
  const { text, reasons, open, entities, named } = conversation.stand(query, history.length);
  const topic = conversation.topic();
  // A topic that nobody announced is worth a mention only where nothing else is meant.
  const about =
    entities.length > 0 && (!topic?.announced || entities.some(({ name }) => name === topic.name));
  const filled = reasons.some(({ rule }) => rule === 'ANSWER' || rule === 'ELLIPSIS');
  if (about || named || filled || topic === null || !isQuestion(query) || hasOwnSubject(query)) {
    return { text, changed: text !== query, reasons, open };
  }
  const tail = /[\s?!.]*$/.exec(text)![0];
  return {
    text: `${text.slice(0, text.length - tail.length)} for ${topic.name}${tail}`,
    changed: true,
    reasons: [...reasons, { rule: 'TOPIC', from: '', to: topic.name, turn: topic.turn }],
    open,
  };
}

/** What stands where our question was refused: the question that it was about, as it stood before we asked anything. */
function refusal(query: string, history: readonly Turn[]): SelfContained | null {
  let said = query;
  let turn = history.length;
  for (;;) {
    const clarified = clarifiedQuestion(said, history, turn);
    if (clarified === null || clarified.values.length > 0) break;
    said = clarified.question;
    turn = clarified.questionTurn;
  }
  if (turn === history.length) return null;
  const before = selfContained(said, history.slice(0, turn));
  const reason = { rule: 'REFUSAL' as const, from: query, to: before.text, turn };
  return { ...before, changed: before.text !== query, reasons: [reason, ...before.reasons] };
}
