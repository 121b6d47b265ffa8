import { setMaxListeners } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { EXIT, messageOf, PragauraError } from '../../errors.ts';
import { type Line, LineWriter, readLines } from '../streams/lines.ts';
import { plainLine } from '../streams/terminal.ts';
import type { Query } from '../contracts.ts';
import { type RankedPassage, trecLines } from '../retrieval/index.ts';
import { parseQuery } from './route-stream.ts';

export interface RetrieveStreamOptions {
  input: Readable;
  output: Writable;
  say: (message: string) => void;
  /** Ranks the passages of one query. */
  rank: (query: Query, signal: AbortSignal) => Promise<RankedPassage[]>;
  tag: string;
  /** Queries in flight at most. */
  window: number;
  /** Aborted: nothing more is read, what is in flight is finished and written. */
  signal: AbortSignal;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;

function queryOf(line: Line): Query {
  if (line.text === null) {
    throw new PragauraError('INVALID_INPUT', line.problem!.message, { hint: line.problem!.hint });
  }
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    throw new PragauraError('INVALID_INPUT', `The line is not JSON: ${messageOf(error)}`, { cause: error });
  }
  return parseQuery(value, line.number);
}

/**
 * Ranks a stream of queries into a TREC run, in input order, and gives the exit code. A run has no place for an
 * error record: a bad line is told on standard error and leaves no line. Throws what a query fails with otherwise,
 * NOT_FOUND when the input cannot be read, and WRITE_FAILED when the output cannot be written.
 */
export async function runRetrieve(options: RetrieveStreamOptions): Promise<number> {
  const { input, output, say, rank, tag, window, signal } = options;
  const gone = new AbortController();
  // Every query in flight listens to it, some at several places.
  setMaxListeners(0, gone.signal);
  const writer = new LineWriter(output, () => gone.abort());
  const inFlight: Promise<string>[] = [];
  let bad = 0;
  const writeNext = async () => {
    const text = await inFlight.shift()!;
    if (text !== '') await writer.write(text);
  };
  const answer = async (query: Query) => trecLines(query.id, await rank(query, gone.signal), tag);
  const stop = () => input.destroy();
  signal.addEventListener('abort', stop);
  try {
    for await (const line of readLines(input, MAX_LINE_BYTES)) {
      let query: Query;
      try {
        query = queryOf(line);
      } catch (error) {
        bad += 1;
        say(`pragaura: line ${line.number}: ${plainLine(messageOf(error))}`);
        continue;
      }
      const answered = answer(query);
      // Whoever awaits it hears of the failure; until then it must not count as unheard.
      answered.catch(() => {});
      inFlight.push(answered);
      if (inFlight.length >= window) await writeNext();
      if (writer.closed || signal.aborted) break;
    }
  } catch (error) {
    if (PragauraError.isInstance(error)) throw error;
    if (!signal.aborted && !writer.closed) {
      throw new PragauraError('NOT_FOUND', `The input cannot be read: ${messageOf(error)}`, { cause: error });
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
  while (inFlight.length > 0 && !writer.closed) await writeNext();
  await writer.flush();
  if (writer.error !== null) {
    throw new PragauraError('WRITE_FAILED', `The output cannot be written: ${messageOf(writer.error)}`, {
      hint: 'Is the disk full?',
      cause: writer.error,
    });
  }
  if (writer.closed) return EXIT.OK;
  if (signal.aborted) return EXIT.INTERRUPTED;
  return bad === 0 ? EXIT.OK : EXIT.BAD_LINES;
}
