/** A decision as a turn of a conversation: what a person is shown of it, and what of that is its history. */
import { PragauraError } from '../common/index.ts';
import type { Decision, Query } from '../router/index.ts';

const SUGGESTED = 'What can be answered:';
const MEANT = 'You may mean:';
const NOTED = 'Noted:';
const QUOTED = 'Quotes:';

/** The answer, the question back or why not; below it what can be answered and what should be said beside it. */
export function shownText(decision: Decision): string {
  const { answer, parts, clarification, abstention } = decision;
  if (answer !== undefined) return `${answer.text}${notesOf(decision)}`;
  const answered = parts.flatMap((part) =>
    part.answer === undefined ? [] : [`${part.query}\n${part.answer.text}`],
  );
  const { message } = (clarification ?? abstention)!;
  return `${[...answered, message].join('\n\n')}${notesOf(decision)}`;
}

/** What stands below a turn, from its empty line on; `quotes`: what its marks [1], [2] cite. */
export function notesOf(
  { action, answer, clarification, abstention, caveats }: Decision,
  quotes: readonly string[] = [],
): string {
  // Choices of a question stand in its words.
  const suggestions = clarification?.question?.options.length
    ? []
    : ((clarification ?? abstention)?.suggestions ?? []);
  const unsure =
    answer?.band === 'LOW' ? ['The passage answers, but which of its words do is not sure.'] : [];
  const cut = answer?.cut ? [answer.cut] : [];
  return [
    listed(
      QUOTED,
      quotes.map((quote, i) => `[${i + 1}] ${quote.replace(/\s+/g, ' ')}`),
    ),
    listed(action === 'ASK' ? MEANT : SUGGESTED, suggestions),
    listed(NOTED, [...unsure, ...cut, ...caveats]),
  ].join('');
}

/** The turn of a text of ours that a client sends back; any other text is its own. */
export function turnText(text: string): string {
  const ends = [QUOTED, SUGGESTED, MEANT, NOTED].map((heading) => text.indexOf(`\n\n${heading}\n- `));
  const end = Math.min(...ends.filter((at) => at !== -1));
  return Number.isFinite(end) ? text.slice(0, end) : text;
}

/** A message of a client, of any role. */
export interface ClientTurn {
  role: string;
  content?: string | readonly { text: string }[] | null | undefined;
}

/** The last turn as a query, the others of user and assistant as its history. Throws INVALID_INPUT where the last is not the user's. */
export function queryOf(id: string, messages: readonly ClientTurn[]): Query {
  const turns = messages.flatMap(({ role, content }): NonNullable<Query['history']> => {
    if (role !== 'user' && role !== 'assistant') return [];
    const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('\n');
    return text === '' && role === 'assistant'
      ? []
      : [{ role, text: role === 'user' ? text : turnText(text) }];
  });
  const last = turns.pop();
  if (last?.role === 'user') return { id, query: last.text, history: turns };
  throw new PragauraError('INVALID_INPUT', "There is no question: the last turn is not the user's.", {
    hint: 'End with {"role": "user", "content": "…"}.',
  });
}

function listed(heading: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `\n\n${heading}\n${items.map((item) => `- ${item}`).join('\n')}`;
}
