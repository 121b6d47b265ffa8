import type { Readable, Writable } from 'node:stream';
import { scorersOptionsFrom } from '../../cli/index.ts';
import { runRecords } from '../../common/index.ts';
import { openBackend } from '../../corpus/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { type Job, openScorers } from '../../scorers/index.ts';
import { loadActClassifier } from '../acts/index.ts';
import type { Query } from '../contracts.ts';
import {
  checkEmbedder,
  openRetrieval,
  type RankedPassage,
  type RunUnit,
  rankStage,
  type Stage,
  trecLines,
} from '../retrieval/index.ts';
import type { RouterArguments } from './options.ts';
import { parseQuery } from './route-stream.ts';

export interface RetrieveStreamOptions {
  input: Readable;
  output: Writable;
  say: (message: string) => void;
  /** Ranks the passages of one query. */
  rank: (query: Query, signal: AbortSignal) => Promise<RankedPassage[]>;
  tag: string;
  unit: RunUnit;
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
  const { input, output, say, rank, tag, unit, window, signal } = options;
  const summary = await runRecords({
    input,
    output,
    window,
    signal,
    errors: (message) => say(`pragaura: ${message}`),
    parse: parseQuery,
    process: async (query, own) => ({ id: query.id, ranked: await rank(query, own) }),
    encode: ({ id, ranked }) => trecLines(id, ranked, tag, unit),
  });
  return summary.exitCode;
}

interface OpenStage {
  rank(stage: Stage, query: Query, k: number, signal: AbortSignal): Promise<RankedPassage[]>;
  close(): Promise<void>;
}

/** Opens an index for ranking, with the models of `jobs` only: the lexical branches need none. */
export async function openStage(
  args: RouterArguments,
  jobs: readonly Job[],
  announce: (message: string) => void,
): Promise<OpenStage> {
  const profiles = loadProfiles(args.profiles);
  const index = await openBackend(args.index, { asOf: args.asOf, backend: args.backend });
  if (index.manifest.pending !== undefined) {
    announce(`Vectors of ${args.index} are still being made: the dense branch finds nothing.`);
  }
  const scorers =
    jobs.length === 0 ? null : await openScorers({ ...scorersOptionsFrom(args, announce), jobs });
  try {
    if (scorers !== null) checkEmbedder(index.name, index.manifest.embedder, scorers.info);
    const parts = {
      index,
      retrieval: openRetrieval(index),
      profiles,
      policy: args.policy,
      budget: { ...profiles.budget, ...args.budget },
      scorers,
      acts: scorers === null ? null : await loadActClassifier(),
    };
    return {
      rank: (stage, { query, filters }, k, signal) => rankStage(parts, stage, { query, filters, signal }, k),
      close: async () => {
        await scorers?.close();
        await index.close();
      },
    };
  } catch (error) {
    await scorers?.close();
    await index.close();
    throw error;
  }
}
