/** One document as it is handed to the indexer. `docId` is unique in its data set; `text` may be empty. */
export interface DataDocument {
  docId: string;
  title: string;
  text: string;
  /** The file of the data folder that it came from. */
  source: string;
}

export interface DataQuery {
  id: string;
  query: string;
  /** Gold answers, where the set has any. */
  answers: readonly string[];
  /** False: nothing in the documents answers it. Absent where the set does not say. */
  answerable?: boolean;
  /** `grade`: gain > 0, higher is better; 1 where the set knows only relevant and not. Ids are in `documents`. */
  relevant: readonly { docId: string; grade: number }[];
  /** Queries of one group (article, document) are resampled together. */
  group: string;
}

export interface Dataset {
  name: string;
  /** In words, for the reports: what it is and what was done to it. */
  about: string;
  documents: readonly DataDocument[];
  queries: readonly DataQuery[];
}

export interface DatasetOptions {
  /**
   * SQuAD sets: give each paragraph its article's name as a title. Default false: paragraphs alone, as the
   * published figures on these sets have it.
   */
  titles?: boolean;
}
