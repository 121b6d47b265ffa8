import { loadCranfield } from './cranfield.ts';
import { loadHotpot, loadHotpotTrain } from './hotpot.ts';
import { oneOf } from './one-of.ts';
import { loadSquadJson, loadSquadTsv } from './squad.ts';
import { loadSquad2 } from './squad2.ts';
import type { Dataset, DatasetOptions } from './types.ts';

const DATASETS = ['new-wiki', 'articles-a', 'cranfield', 'hotpot', 'train-44', 'hotpot-train'] as const;
export type DatasetName = (typeof DATASETS)[number];

/** Sets for calibrating and evaluating only: our measurements have no column for a question without an answer. */
const EXPORTABLE = [...DATASETS, 'squad2-dev'] as const;
export type ExportableName = (typeof EXPORTABLE)[number];

const NEW_WIKI = {
  name: 'new-wiki',
  about: 'SquadShifts new-wiki: 48 Wikipedia articles, a paragraph is a document',
  file: 'squad/squadshifts-new_wiki-v1.0.json.gz',
};
const ARTICLES_A = {
  name: 'articles-a',
  about: 'SQuAD 1.1 dev, 23 articles, a paragraph is a document',
  file: 'squad/squad11-dev-articles-a.tsv.gz',
};
const TRAIN_44 = {
  name: 'train-44',
  about: 'SQuAD 1.1 train, 44 articles, a paragraph is a document; for tuning only',
  file: 'squad/squad11-train-44-articles.tsv.gz',
};

/** Loads a set from the data folder. Throws NOT_FOUND (which file is missing) or UNREADABLE_DOCUMENT. */
export async function loadDataset(
  name: ExportableName,
  dir: string,
  options: DatasetOptions = {},
): Promise<Dataset> {
  switch (name) {
    case 'new-wiki':
      return loadSquadJson(dir, NEW_WIKI, options);
    case 'articles-a':
      return loadSquadTsv(dir, ARTICLES_A, options);
    case 'train-44':
      return loadSquadTsv(dir, TRAIN_44, options);
    case 'cranfield':
      return loadCranfield(dir);
    case 'hotpot':
      return loadHotpot(dir);
    case 'hotpot-train':
      return loadHotpotTrain(dir);
    case 'squad2-dev':
      return loadSquad2(dir, options);
  }
}

/** The data set of that name. Throws USAGE for a name that is none. */
export function datasetNamed(text: string): DatasetName {
  return oneOf(DATASETS, text, 'data set');
}

/** The data set of that name, of those that can be exported. Throws USAGE for a name that is none. */
export function exportableNamed(text: string): ExportableName {
  return oneOf(EXPORTABLE, text, 'data set');
}

/** The names in a list such as "new-wiki,hotpot". Throws USAGE for a name that is none. */
export function parseDatasetNames(list: string): DatasetName[] {
  return list.split(',').map((name) => datasetNamed(name));
}
