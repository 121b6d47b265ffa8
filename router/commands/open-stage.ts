import { scorersOptionsFrom } from '../../cli/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { loadProfiles } from '../../profiles/index.ts';
import { type Job, openScorers } from '../../scorers/index.ts';
import { loadActClassifier } from '../acts/index.ts';
import type { Query } from '../contracts.ts';
import {
  checkEmbedder,
  openRetrieval,
  type RankedPassage,
  rankStage,
  type Stage,
} from '../retrieval/index.ts';
import type { RouterArguments } from './options.ts';

export interface OpenStage {
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
  const index = await openIndex(args.index);
  if (index.manifest.pending !== undefined) {
    announce(`Vectors of ${args.index} are still being made: the dense branch finds nothing.`);
  }
  const scorers =
    jobs.length === 0 ? null : await openScorers({ ...scorersOptionsFrom(args, announce), jobs });
  try {
    if (scorers !== null) checkEmbedder(index, scorers.info);
    const parts = {
      index,
      retrieval: await openRetrieval(index),
      profiles,
      policy: args.policy,
      budget: { ...profiles.budget, ...args.budget },
      scorers,
      acts: scorers === null ? null : await loadActClassifier(),
    };
    return {
      rank: (stage, { query, filters }, k, signal) => rankStage(parts, stage, { query, filters, signal }, k),
      close: async () => scorers?.close(),
    };
  } catch (error) {
    await scorers?.close();
    throw error;
  }
}
