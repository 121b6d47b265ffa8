import type { Example } from '../types.ts';

export const SPLITS = ['tune', 'calibrate', 'test'] as const;
export type SplitName = (typeof SPLITS)[number];

export interface SplitOptions {
  /** Parts that each split is to have, non-negative; they need not sum to one. */
  shares: Record<SplitName, number>;
  seed: number;
  /** Least Jaccard similarity of the word pairs of two questions at which they are near-duplicates. Default 0.8. */
  nearDuplicate?: number;
}

export interface SplitReport {
  seed: number;
  nearDuplicate: number;
  examples: number;
  /** Examples, groups, and share of all examples: wanted and reached. */
  splits: Record<SplitName, { examples: number; groups: number; wanted: number; reached: number }>;
  groups: number;
  /** What is never split: groups that documents or near-duplicate questions tie together count as one. */
  components: number;
  /** Examples of the largest component. */
  largest: number;
  /** Pairs of examples with near-duplicate questions, and those of them whose groups differ. */
  duplicates: { pairs: number; acrossGroups: number };
  /** What could not be reached and why, in words; empty when every split has its share to within one example. */
  remarks: string[];
}

export type Splits = Record<SplitName, Example[]> & { report: SplitReport };

export function splitExamples(examples: readonly Example[], options: SplitOptions): Splits {
  throw new Error(`${examples.length} ${options.seed}`);
}
