import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { recordParser, runRecords } from '../../common/index.ts';
import type { Scorers } from '../types.ts';

const Text = z.string();
const Id = z.string().min(1).max(512);
export const NliPair = z.strictObject({ id: Id, premise: Text, hypothesis: Text });
export const QueryPair = z.strictObject({ id: Id, query: Text, passage: Text, title: Text.optional() });
type NliPair = z.infer<typeof NliPair>;
type QueryPair = z.infer<typeof QueryPair>;

const NLI_HINT =
  'One pair a line, for example {"id": "1", "premise": "Ada sleeps.", "hypothesis": "Ada is awake."}.';
const QUERY_HINT =
  'One pair a line, for example {"id": "1", "query": "Who sleeps?", "passage": "Ada sleeps."}.';

type PairScorers = Pick<Scorers, 'nli' | 'rerank' | 'read'>;

interface ScoreStream {
  scorers: PairScorers;
  input: Readable;
  output: Writable;
  errors?: (message: string) => void;
  window: number;
  signal?: AbortSignal;
}

/** Scores every line of `input`; gives the exit code. See `runRecords` for what bad lines get. */
export async function runScore(job: 'nli' | 'rerank' | 'read', stream: ScoreStream): Promise<number> {
  const { scorers, ...streams } = stream;
  if (job === 'nli') {
    const summary = await runRecords<NliPair>({
      ...streams,
      parse: recordParser(NliPair, NLI_HINT),
      process: (pair, signal) => scoreNli(scorers, pair, signal),
    });
    return summary.exitCode;
  }
  const score = job === 'rerank' ? scoreRerank : scoreRead;
  const summary = await runRecords<QueryPair>({
    ...streams,
    parse: recordParser(QueryPair, QUERY_HINT),
    process: (pair, signal) => score(scorers, pair, signal),
  });
  return summary.exitCode;
}

/** The record of one pair. Throws as the scorers do. */
export async function scoreNli(scorers: PairScorers, { id, ...pair }: NliPair, signal?: AbortSignal) {
  const [result] = await scorers.nli([pair], { signal });
  return { schema: 'pragaura.nli/1', id, ...result };
}

/** The record of one pair. Throws as the scorers do. */
export async function scoreRerank(scorers: PairScorers, { id, ...pair }: QueryPair, signal?: AbortSignal) {
  const [result] = await scorers.rerank([pair], { signal });
  return { schema: 'pragaura.rerank/1', id, ...result };
}

/** The record of one pair. Throws as the scorers do. */
export async function scoreRead(scorers: PairScorers, { id, ...pair }: QueryPair, signal?: AbortSignal) {
  const [reading] = await scorers.read([pair], { signal });
  const { best, alternatives, ...rest } = reading!;
  // A span that the reader would rather not give is a candidate, never the answer.
  const given = rest.margin > 0 ? best : null;
  return {
    schema: 'pragaura.read/1',
    id,
    answer: given?.text ?? null,
    start: given?.start ?? null,
    end: given?.end ?? null,
    score: given?.score ?? null,
    ...rest,
    candidates: best === null ? [] : [best, ...alternatives],
  };
}
