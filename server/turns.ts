/** A decision as a turn of a conversation: what a person is shown of it, and what of that is its history. */
import { PragauraError } from '../common/index.ts';
import { type GenerateOptions, type Generation, generateAnswer, joinerOf } from '../generation/index.ts';
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
function notesOf(
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

/**
 * The pieces of an answer that a language model words, as they are verified, then what stands below it, or the quotes
 * where none of its words could be used; gives the record, without what was not verified. `decision`: one to answer. Throws as `generateAnswer`.
 */
export async function* wordedTurn(
  decision: Decision,
  options: GenerateOptions,
): AsyncGenerator<string, Generation> {
  const sentences = generateAnswer(decision, options);
  let joiner = '';
  let next = await sentences.next();
  for (; !next.done; next = await sentences.next()) {
    yield `${joiner}${next.value}`;
    joiner = joinerOf(decision.answer!.form);
  }
  // Nobody shall show by mistake what was not verified.
  const { generated: _, ...generation } = next.value!;
  const quotes = generation.quotes.map(({ text }) => text);
  yield generation.status === 'quotes' ? shownText(decision) : notesOf(decision, quotes);
  return generation;
}

/** Ids of the passages that an answer, or that of a part, quotes. */
export function quotedPassages({ answer, parts }: Decision): Set<string> {
  const answers = [answer, ...parts.map((part) => part.answer)];
  return new Set(answers.flatMap((each) => each?.quotes.map(({ passageId }) => passageId) ?? []));
}

/** What a model is told of the tool that asks the documents. */
export const ASK_DESCRIPTION =
  'Answer a question from the documents, with quotes. Gives ANSWER, ASK (a question back for the user) or ABSTAIN (why not).';

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
