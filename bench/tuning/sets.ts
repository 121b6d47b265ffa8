/** Sets that profiles are searched on, and sets that they are tried on. */
import type { Scorers } from '../../scorers/index.ts';
import { loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { oneOf } from '../datasets/one-of.ts';
import type { DataQuery } from '../datasets/types.ts';
import { indexDrawn } from '../general/measure.ts';
import { loadPoolSet } from '../general/sets.ts';

/** Training questions alone. */
export const DEVELOPMENT = ['train-44', 'hotpot-train', 'conditionalqa'] as const;
/** Sets that no profile was fitted on. */
export const HELD_OUT = [
  'articles-a',
  'new-wiki',
  'hotpot',
  'cranfield',
  'emanual',
  'nq-qed',
  'trecqa',
] as const;
type SetName = (typeof DEVELOPMENT)[number] | (typeof HELD_OUT)[number];

export interface Places {
  /** Folder of the public data sets. */
  data: string;
  /** Folder of indexes. */
  cache: string;
}

export interface TuningSet {
  name: string;
  about: string;
  /** With documents that are sought. */
  questions: readonly DataQuery[];
  /** Makes its index, or brings it up to date, and gives its folder. */
  index(scorers: Scorers, say: (line: string) => void, signal: AbortSignal): Promise<string>;
}

/** The names in a list with commas, each once. Throws USAGE for a name that is none of them, which it lists. */
export function namesIn<T extends string>(names: readonly T[], list: string, what: string): T[] {
  return [...new Set(list.split(',').map((name) => oneOf(names, name.trim(), what)))];
}

/** Throws NOT_FOUND (which file is missing), UNREADABLE_DOCUMENT. */
export async function loadTuningSet(name: SetName, { data, cache }: Places): Promise<TuningSet> {
  switch (name) {
    case 'conditionalqa':
    case 'emanual':
    case 'nq-qed':
    case 'trecqa':
      return ofPool(name, { data, cache });
    default: {
      const dataset = await loadDataset(name, data, { titles: true });
      return {
        name,
        about: dataset.about,
        questions: dataset.queries.filter(({ relevant }) => relevant.length > 0),
        index: (scorers, say) => indexOf(dataset, cache, scorers, say),
      };
    }
  }
}

/** The half for tuning of a set of other documents. Pages lie in a folder with the name of the set. */
async function ofPool(name: Parameters<typeof loadPoolSet>[0], { data, cache }: Places): Promise<TuningSet> {
  const set = await loadPoolSet(name, { data, cache });
  const documents = [...set.documents];
  const pages = documents[0]?.html !== undefined;
  const docIdOf = (home: string) => (pages ? `${set.name}/${home}` : home);
  return {
    name,
    about: set.about,
    questions: set.questions
      .filter(({ homes }) => homes.length > 0)
      .map(({ id, query, group, golds = [], homes }) => ({
        id,
        query,
        group,
        answers: pages ? [] : golds,
        relevant: [...new Set(homes)].map((home) => ({ docId: docIdOf(home), grade: 1 })),
      })),
    index: (scorers, say, signal) =>
      indexDrawn(set, { documents, questions: [] }, { scorers, cache, out: cache, say, signal }),
  };
}
