/** The questions of a set, and which of them scores are fitted on, thresholds are set on, and figures are of. */
import { SPLITS, type SplitName, splitExamples } from '../../calibration/index.ts';
import { sample, seededRandom } from '../../common/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { type DatasetName, loadDataset } from '../datasets/index.ts';
import { indexOf } from '../datasets/index-of.ts';
import { exampleOf } from './measure.ts';

export interface QuestionOptions {
  data: string;
  /** Folder of indexes. */
  cache: string;
  titles: boolean;
  /** Questions of a set, a seeded sample; all when undefined. */
  limit: number | undefined;
}

/** Of the questions of a set, by group. */
const SHARES = { tune: 0.25, calibrate: 0.25, test: 0.5 };
const SPLIT_SEED = 1;

/** Throws what loading and indexing the set throw. */
export async function questionsOf(
  set: DatasetName,
  { data, cache, titles, limit }: QuestionOptions,
  scorers: Scorers,
  say: (line: string) => void,
) {
  const dataset = await loadDataset(set, data, { titles });
  const index = await indexOf(dataset, cache, scorers, say);
  const questions = sample(dataset.queries, limit ?? dataset.queries.length, seededRandom(1));
  const examples = questions.map(exampleOf);
  const split = splitExamples(examples, { shares: SHARES, seed: SPLIT_SEED });
  const splitOf = new Map(
    SPLITS.flatMap((name) => split[name].map(({ id }): [string, SplitName] => [id, name])),
  );
  return { about: dataset.about, index, examples, split, splitOf };
}
