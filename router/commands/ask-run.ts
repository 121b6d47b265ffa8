import { randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  colours,
  type Line,
  LineSplitter,
  PragauraError,
  parseAs,
  progress,
  type TerminalStream,
  toLine,
} from '../../common/index.ts';
import type { Turn } from '../../conversation/index.ts';
import { type Decision, MAX_QUERY_CHARS, Query } from '../contracts.ts';
import { openRouter } from '../index.ts';
import type { Explanation, RouterOptions } from '../types.ts';
import type { Decider } from './options.ts';
import { renderDecision } from './render-decision.ts';
import { renderExplanation } from './render-explanation.ts';

export interface AskOptions {
  question: readonly string[];
  router: RouterOptions;
  /** What records decisions before they are shown; default none. */
  audited?: (router: Decider) => Decider;
  /** Whether answers are shown without what stands around them. */
  short?: boolean;
  /** Turns before the question, as a file had them; checked here. */
  history: unknown;
  json: boolean;
  explain: boolean;
  /** Every further line of standard input is the next turn. Without it only our own question is, on a terminal. */
  chat: boolean;
  signal: AbortSignal;
  stdin: NodeJS.ReadStream;
  stdout: TerminalStream;
}

const MAX_WIDTH = 100;

/**
 * Text from standard input; of one that is longer than any query may be only so much that this can be told. Throws the
 * signal's reason when it fires.
 */
async function readQuestion(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let question = '';
  try {
    signal.throwIfAborted();
    for await (const chunk of addAbortSignal(signal, stdin)) {
      question += decoder.decode(chunk as Uint8Array, { stream: true });
      // Not trimmed: what follows might be more than white space.
      if (question.length > MAX_QUERY_CHARS) return question;
    }
    question += decoder.decode();
  } catch (error) {
    signal.throwIfAborted();
    throw new PragauraError('INVALID_INPUT', 'The question on standard input is not valid UTF-8.', {
      hint: 'Convert it to UTF-8, for example with iconv.',
      cause: error,
    });
  }
  return question.trim();
}

/**
 * Decides one question and prints the decision; then what is replied to our question, and with `chat` every further
 * line, as turns of one conversation. Throws USAGE when there is no question.
 */
export async function runAsk(options: AskOptions): Promise<void> {
  const { stdin, stdout, signal, chat } = options;
  const replies = repliesOf(stdin, signal);
  // A vote counts once for each query, and everybody's queries look alike but for their id.
  const id = () => (options.router.defaults === undefined ? 'ask' : `ask-${randomUUID()}`);
  const first = () => firstOf(options, replies).then((text) => asked(id(), text, options.history));
  // A question is checked before models are loaded; in a conversation whoever types it is not to wait for them after.
  const given = chat ? null : await first();
  const bar = progress('Loading index and models …');
  const router = await openRouter(options.router).finally(() => bar.end());
  const decider = options.audited?.(router) ?? router;
  try {
    signal.throwIfAborted();
    let query = given ?? (await first());
    for (;;) {
      const explanation = await decider.explain(query, { signal });
      stdout.write(options.json ? asJson(explanation, options.explain) : asText(explanation, options));
      const { decision } = explanation;
      const prompting = prompts(options);
      if (!chat && !(prompting && decision.action === 'ASK' && !options.json)) return;
      if (prompting) stdout.write(decision.action === 'ASK' ? PROMPT.reply : PROMPT.next);
      const { value: reply } = await replies.next();
      if (reply === undefined) return;
      query = asked(id(), reply, [...(query.history ?? []), ...turnsOf(decision)]);
    }
  } finally {
    await router.close();
    await replies.return(undefined);
  }
}

const PROMPT = { reply: '\nYour answer (Enter to leave): ', next: '\nNext (Enter to leave): ' };

/** Whether somebody sits there who can be asked. */
function prompts({ stdin, stdout }: Pick<AskOptions, 'stdin' | 'stdout'>): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** The question given, or from standard input: all of it, in a conversation its first line. */
async function firstOf(
  { question, stdin, stdout, chat, signal }: AskOptions,
  replies: AsyncGenerator<string>,
): Promise<string> {
  const given = question.join(' ');
  const nothing = given === '' && question.length === 0;
  if (given !== '-' && !nothing) return given;
  if (chat) {
    if (prompts({ stdin, stdout })) stdout.write('Question (Enter to leave): ');
    const { value: first } = await replies.next();
    if (first !== undefined) return first;
  } else if (given === '-' || !stdin.isTTY) {
    const read = await readQuestion(stdin, signal);
    if (read !== '' || !nothing) return read;
  }
  throw new PragauraError('USAGE', 'There is no question.', {
    hint: 'For example: pragaura ask "How long is the warranty?" --index my-index',
  });
}

function asked(id: string, query: string, history: unknown): Query {
  const problem = `A question has at most ${MAX_QUERY_CHARS} characters; a history is a list of {"role", "text"}.`;
  return parseAs(Query, problem)({ id, query, ...(history !== undefined && { history }) });
}

/** What was asked and what was said to it, as a conversation has them. */
function turnsOf({ query, answer, clarification, abstention }: Decision): Turn[] {
  const text = answer?.claim ?? answer?.text ?? (clarification ?? abstention)!.message;
  return [
    { role: 'user', text: query },
    { role: 'assistant', text },
  ];
}

function asJson({ decision, input: _, ...explanation }: Explanation, explain: boolean): string {
  return toLine(explain ? { ...decision, explanation } : decision);
}

function asText(explanation: Explanation, { stdout, explain, short = false }: AskOptions): string {
  const c = colours(stdout);
  const width = stdout.isTTY ? Math.min(MAX_WIDTH, stdout.columns || 80) : Number.POSITIVE_INFINITY;
  const decision = renderDecision(explanation.decision, { colours: c, width, short });
  return explain ? decision + renderExplanation(explanation, c) : decision;
}

/**
 * What is typed or piped in, a line at a time, until the input ends; on a terminal an empty line ends it too.
 * Throws INVALID_INPUT for a line that is no UTF-8 or longer than any query, and the signal's reason when it fires.
 */
async function* repliesOf(
  stdin: Readable & { isTTY?: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const splitter = new LineSplitter(4 * MAX_QUERY_CHARS);
  try {
    signal.throwIfAborted();
    for await (const chunk of addAbortSignal(signal, stdin)) {
      const bytes = Buffer.from(chunk as Uint8Array);
      if (stdin.isTTY === true && bytes.toString().trim() === '') return;
      for (const line of splitter.push(bytes)) yield textOf(line);
    }
    for (const line of splitter.end()) yield textOf(line);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    // A terminal that is still read keeps the process alive.
    stdin.destroy();
  }
}

function textOf({ text, problem }: Line): string {
  if (text !== null) return text.trim();
  throw new PragauraError('INVALID_INPUT', problem!.message, { hint: problem!.hint });
}
