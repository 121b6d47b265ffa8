import { isQuestion } from './answers.ts';
import { Conversation } from './conversation.ts';
import { mentionsIn } from './mentions.ts';
import type { SelfContained, Turn } from './types.ts';

/** Longer queries bring their own context, and are not looked at. */
const MAX_QUERY_CHARS = 2_000;
/** "What is a face character?" asks about a thing in general. */
const DEFINITION =
  /^\s*what(?:['’]s| is| are| was| were)\s+(?:an?\s+)?[\p{L}-]+(?:\s+[\p{L}-]+)?\s*\??\s*$/iu;

/**
 * The query as it can be asked without its history: an answer to our last question put into the question that it was
 * about, a fragment into the last question, pronouns and general nouns into names, and the topic behind a question
 * that names nothing. English, by rules; what no rule is sure of comes back as it was. The last 40 turns and the first
 * two are read, 2,000 characters of each; time does not grow with a longer history. Pure.
 */
export function selfContained(query: string, history: readonly Turn[]): SelfContained {
  if (history.length === 0 || query.length > MAX_QUERY_CHARS) {
    return { text: query, changed: false, reasons: [], open: [] };
  }
  const conversation = new Conversation(history);
  const { text, reasons, open, entities } = conversation.stand(query, history.length);
  const topic = conversation.topic();
  // A topic that nobody announced is worth a mention only where nothing else is named.
  const about =
    entities.length > 0 && (!topic?.announced || entities.some(({ name }) => name === topic.name));
  const filled = reasons.some(({ rule }) => rule === 'ANSWER' || rule === 'ELLIPSIS');
  // Who names something new and points at nothing has changed the subject.
  const elsewhere = entities.length === 0 && mentionsIn(query).some(({ weak }) => !weak);
  if (about || filled || elsewhere || topic === null || !isQuestion(query) || DEFINITION.test(query)) {
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
