import type { Embed } from './embed-passages.ts';
import type { IdentifierTable } from './identifiers/index.ts';
import type { Outcome } from './outcomes.ts';
import type { Passage } from './passages/passage.ts';
import type { InputFile } from './readers/walk.ts';
import type { Failure, HiddenTexts, LeftOut, Manifest } from './types.ts';

export const DEFAULT_MAX_TOKENS = 220;

export interface IndexProgress {
  /** `words`, where the index can be searched by words before it has vectors, comes before `embed`. */
  stage: 'read' | 'words' | 'embed' | 'write' | 'graph';
  done: number;
  /** Unknown while reading. */
  total: number | undefined;
  detail: string;
  /** While embedding: how much of the work is done, from 0 to 1; long texts come first and are more of it. */
  share?: number;
}

/** What decides what is made of a file, beside the file. */
export interface Making {
  /** Upper limit of a passage in word pieces. */
  maxTokens: number;
  embedder: Manifest['embedder'];
}

/** What others made of files: the same as would have been made of them here. */
export interface Made {
  /** Files that are missing are read here. */
  outcomes: ReadonlyMap<InputFile, readonly Outcome[]>;
  /** Of every passage, by the sha256 (hex) of the embedded text. */
  vectors: ReadonlyMap<string, Float32Array>;
  /** Those of the vectors that were not there before. */
  fresh: ReadonlySet<string>;
}

/** A generation that is written and that nothing points to yet. */
export interface Written {
  /** Folder of the index. */
  dir: string;
  /** Its own folder. */
  folder: string;
  /** Folder of the generation that is the index. */
  before: string;
  manifest: Manifest;
  passages: readonly Passage[];
  /** One row a passage; empty while they are pending. */
  vectors: Float32Array;
}

/** What became of the graph of an index with a new generation of it: how many edges it has, and how many were embedded for it. */
export type GraphKept = { edges: number; embedded: number } | { problem: string };

/** Makes the graph of a new generation of what the one before has; null while vectors are pending. */
export type KeepGraph = (
  generation: Written,
  call: Pick<BuildOptions, 'embed' | 'onProgress' | 'signal'>,
) => Promise<GraphKept | null>;

export interface BuildOptions {
  /** The index folder: new, empty, or an index that is brought up to date. */
  out: string;
  embed: Embed;
  embedder: Manifest['embedder'];
  /** Word pieces of a text, without special tokens. */
  countTokens(text: string): number;
  /** Upper limit of a passage in word pieces; default 220, with `keepMissing` or `remove` that of the index. */
  maxTokens?: number;
  /** Documents of the index that are under none of the paths any more stay in it. */
  keepMissing?: boolean;
  /** Ids of documents that are taken out; all others stay, as with `keepMissing`. One that is put again by a path stays too. */
  remove?: readonly string[];
  /**
   * The generation is written and is not made the index: `promote` does that, and the next build removes it otherwise. There
   * has to be an index.
   */
  stage?: boolean;
  /** Documents that tickets brought, or took out, are as the paths have them; default: they stay as they were reviewed. */
  unreviewed?: boolean;
  /** Generations that are kept beside the new one, for `rollBack` and `asOf`; default as many as until now, at first none. */
  keepGenerations?: number;
  /**
   * Identifiers that are declared, `{ families?: string[], patterns?: string[] }`; default those that were declared when
   * the index was last built. Checked before anything is read.
   */
  identifiers?: unknown;
  /**
   * Default true: returns when every vector is there. False: returns as soon as words can be searched; the next build makes
   * the vectors.
   */
  wait?: boolean;
  /** Has files read, cut and embedded by others. Default: all of it is done here. */
  elsewhere?: (
    files: readonly InputFile[],
    making: Making,
    call: Pick<BuildOptions, 'onProgress' | 'signal'>,
  ) => Promise<Made>;
  /** Asked before anything points to a new generation, where the one before has a graph. Default: the new one has none. */
  keepGraph?: KeepGraph;
  /** Milliseconds so far that an inference thread has been inside the runtime, as a mean over the threads. */
  insideMs?: () => number;
  onProgress?: (progress: IndexProgress) => void;
  signal?: AbortSignal;
}

export interface IndexReport {
  schema: 'pragaura.index-report/1';
  dir: string;
  /** Its name in the folder. */
  generation: string;
  /** Of the manifest: equal hashes, equal decisions. */
  hash: string;
  counts: Manifest['counts'];
  /** Documents against the index that was there before. */
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Of what was to be removed the ids that the index did not have. */
  unknown: string[];
  /** Texts that were embedded, and passages whose vectors were there already. */
  embedded: number;
  reused: number;
  /** Passages that have no vector yet, because nobody waited for it. */
  pending: number;
  failed: Failure[];
  /** Files in folders that no reader is for. */
  skipped: number;
  /** Documents that were read and are not in the index: pages that are other pages, and those of links alone. */
  leftOut: LeftOut[];
  /**
   * Documents that hold text which somebody has taken pains to hide: how many stretches of four words and more there are, and the first. None of
   * it is in the index. Comments and alternative text are left out as well and are no reason to stand here.
   */
  hidden: { name: string; count: number; first: HiddenTexts['texts'][number] }[];
  /** Why nothing of an index that was there could be used; null when there was none, or it was. */
  rebuilt: string | null;
  /** Null where the index had no graph, and while vectors are pending. */
  graph: GraphKept | null;
  /** What is declared to be an identifier, and how many members of each the documents name. */
  identifiers: IdentifierTable['declared'];
  /**
   * Milliseconds by stage. `words`: from the start until words could be searched, null where they did not come first.
   * `inside`: of `embed`, inside the model runtime; null where nobody measures it.
   */
  ms: {
    read: number;
    words: number | null;
    embed: number;
    inside: number | null;
    write: number;
    total: number;
  };
}
