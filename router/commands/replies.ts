import { addAbortSignal, type Readable } from 'node:stream';
import { type Line, LineSplitter, PragauraError } from '../../common/index.ts';
import { MAX_QUERY_CHARS } from '../contracts.ts';

/**
 * What is typed or piped in, a line at a time, until the input ends; on a terminal an empty line ends it too.
 * Throws INVALID_INPUT for a line that is no UTF-8 or longer than any query, and the signal's reason when it fires.
 */
export async function* repliesOf(
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
