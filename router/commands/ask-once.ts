import { PragauraError } from '../../errors.ts';
import { MAX_QUERY_CHARS, Query } from '../contracts.ts';
import { openRouter } from '../index.ts';
import { toLine } from '../streams/ndjson.ts';
import { parseAs } from '../streams/parse.ts';
import { colours, progress, type TerminalStream } from '../streams/terminal.ts';
import type { Explanation, RouterOptions } from '../types.ts';
import { renderDecision } from './render-decision.ts';
import { renderExplanation } from './render-explanation.ts';

export interface AskOptions {
  question: readonly string[];
  router: RouterOptions;
  /** Turns before the question, as a file had them; checked here. */
  history: unknown;
  json: boolean;
  explain: boolean;
  signal: AbortSignal;
  stdin: NodeJS.ReadStream;
  stdout: TerminalStream;
}

const MAX_WIDTH = 100;

/** Text from standard input, refused as soon as it is longer than any query may be. */
async function readQuestion(stdin: NodeJS.ReadStream): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let question = '';
  try {
    for await (const chunk of stdin) {
      question += decoder.decode(chunk as Uint8Array, { stream: true });
      if (question.length > MAX_QUERY_CHARS) break;
    }
    question += decoder.decode();
  } catch (error) {
    throw new PragauraError('INVALID_INPUT', 'The question on standard input is not valid UTF-8.', {
      hint: 'Convert it to UTF-8, for example with iconv.',
      cause: error,
    });
  }
  return question.trim();
}

/** Decides one question and prints the decision. Throws USAGE when there is no question. */
export async function runAsk(options: AskOptions): Promise<void> {
  const { stdin, stdout, signal, history } = options;
  const given = options.question.join(' ');
  const fromStdin = given === '-' || (given === '' && options.question.length === 0 && !stdin.isTTY);
  const question = fromStdin ? await readQuestion(stdin) : given;
  if (options.question.length === 0 && question === '') {
    throw new PragauraError('USAGE', 'There is no question.', {
      hint: 'For example: pragaura ask "How long is the warranty?" --index my-index',
    });
  }
  const query = parseAs(
    Query,
    `A question has at most ${MAX_QUERY_CHARS} characters; a history is a list of {"role", "text"}.`,
  )({
    id: 'ask',
    query: question,
    ...(history !== undefined && { history }),
  });

  const bar = progress('Loading index and models …');
  const router = await openRouter(options.router).finally(() => bar.end());
  try {
    signal.throwIfAborted();
    const explanation = await router.explain(query, { signal });
    stdout.write(options.json ? asJson(explanation, options.explain) : asText(explanation, options));
  } finally {
    await router.close();
  }
}

function asJson({ decision, input: _, ...explanation }: Explanation, explain: boolean): string {
  return toLine(explain ? { ...decision, explanation } : decision);
}

function asText(explanation: Explanation, { stdout, explain }: AskOptions): string {
  const c = colours(stdout);
  const width = stdout.isTTY ? Math.min(MAX_WIDTH, stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  const decision = renderDecision(explanation.decision, { colours: c, width });
  return explain ? decision + renderExplanation(explanation, c) : decision;
}
