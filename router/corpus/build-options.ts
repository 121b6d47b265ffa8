import type { Embed } from './embed-passages.ts';
import type { IdentifierTable } from './identifiers/index.ts';
import type { Failure, LeftOut, Manifest } from './types.ts';

export const DEFAULT_MAX_TOKENS = 220;

export interface IndexProgress {
  stage: 'read' | 'embed' | 'write';
  done: number;
  /** Unknown while reading. */
  total: number | undefined;
  detail: string;
}

export interface BuildOptions {
  /** The index folder: new, empty, or an index that is brought up to date. */
  out: string;
  embed: Embed;
  embedder: Manifest['embedder'];
  /** Word pieces of a text, without special tokens. */
  countTokens(text: string): number;
  /** Upper limit of a passage in word pieces; default 220. */
  maxTokens?: number;
  /** Documents of the index that are under none of the paths any more stay in it. */
  keepMissing?: boolean;
  /**
   * Identifiers that are declared, `{ families?: string[], patterns?: string[] }`; default those that were declared when
   * the index was last built. Checked before anything is read.
   */
  identifiers?: unknown;
  onProgress?: (progress: IndexProgress) => void;
  signal?: AbortSignal;
}

export interface IndexReport {
  schema: 'pragaura.index-report/1';
  dir: string;
  /** Of the manifest: equal hashes, equal decisions. */
  hash: string;
  counts: Manifest['counts'];
  /** Documents against the index that was there before. */
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** Texts that were embedded, and passages whose vectors were there already. */
  embedded: number;
  reused: number;
  failed: Failure[];
  /** Files in folders that no reader is for. */
  skipped: number;
  /** Documents that were read and are not in the index: pages that are other pages, and those of links alone. */
  leftOut: LeftOut[];
  /** Why nothing of an index that was there could be used; null when there was none, or it was. */
  rebuilt: string | null;
  /** What is declared to be an identifier, and how many members of each the documents name. */
  identifiers: IdentifierTable['declared'];
  /** Milliseconds by stage. */
  ms: { read: number; embed: number; write: number; total: number };
}
