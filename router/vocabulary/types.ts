/** One meaning that a vocabulary names. */
export interface Concept {
  /** IRI, or what stands in the id column of a CSV; else the label. */
  id: string;
  /** Preferred label, as written. */
  label: string;
  /** Other names, as written, best first; each once. */
  alternatives: readonly string[];
  /** Misspellings and codes by which the concept is found and which are never shown. */
  hidden: readonly string[];
  /** What the vocabulary says that it means; null when it only names it. */
  definition: string | null;
  /** Ids of concepts above, as far as they are in the vocabulary. */
  broader: readonly string[];
  /** Name of the file that it came from. */
  source: string;
}

/** What was read, and what in it is not as a vocabulary should be; nothing of this stops the reading. */
export interface VocabularyReport {
  files: string[];
  concepts: number;
  labels: number;
  definitions: number;
  /** Circles of broader concepts, each named once by one of its members; examples are at most five. */
  loops: { count: number; examples: string[] };
  /** Preferred labels that several concepts bear: a query that uses one is asked which is meant. */
  sharedLabels: { count: number; examples: string[] };
  /** Left out: labels longer than the limit or beyond the limit of one concept, deprecated concepts, no label. */
  leftOut: { labels: number; deprecated: number; unlabelled: number };
  /** Definitions cut at the limit. */
  cutDefinitions: number;
}

/** Concepts that a stretch of a query names. `start`/`end`: UTF-16 offsets into the query, `text` that slice. */
export interface TermMatch {
  text: string;
  start: number;
  end: number;
  /** More than one when several concepts bear this name; in the order of the vocabulary. */
  concepts: readonly Concept[];
  /** How the name was found: as the preferred label, another name, or a hidden one. */
  by: 'label' | 'alternative' | 'hidden';
}
