import type { Readable, Writable } from 'node:stream';
import { runRecords } from '../../common/index.ts';
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
  signal: AbortSignal;
}

/**
 * Ranks a stream of queries into a TREC run, in input order, and gives the exit code. A run has no place for an
 * error record: a line that is bad or fails is told on standard error and leaves no line. See `runRecords` for what
 * else it throws and returns.
 */
export async function runRetrieve(options: RetrieveStreamOptions): Promise<number> {
  const { input, output, say, rank, tag, window, signal } = options;
  const summary = await runRecords({
    input,
    output,
    window,
    signal,
    errors: (message) => say(`pragaura: ${message}`),
    parse: parseQuery,
    process: async (query, own) => ({ id: query.id, ranked: await rank(query, own) }),
    encode: ({ id, ranked }) => trecLines(id, ranked, tag),
  });
  return summary.exitCode;
}
