import { createHash } from 'node:crypto';
import { PragauraError } from '../../common/index.ts';
import type { Example } from '../types.ts';
import { assign, type Part } from './assign.ts';
import { componentsOf } from './components.ts';
import { documentsFrom, tiedGroups } from './documents.ts';
import { NEAR_DUPLICATE } from './near-duplicates.ts';

export const SPLITS = ['tune', 'calibrate', 'test'] as const;
export type SplitName = (typeof SPLITS)[number];

export interface SplitOptions {
  /** Parts that each split is to have, non-negative; they need not sum to one. */
  shares: Record<SplitName, number>;
  /** A whole number. */
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
  /** Sets of near-duplicate questions, their questions, and those of the sets that lie in several groups. */
  duplicates: { sets: number; questions: number; acrossGroups: number };
  /** In words: groups that are one document, and what could not be reached and why. */
  remarks: string[];
}

export type Splits = Record<SplitName, Example[]> & { report: SplitReport };

/**
 * Divides examples into splits by group: the same for the same examples and seed, whatever their order. Examples of
 * one group, with answers in one document, or with near-duplicate questions never come into two splits; the shares
 * are reached as nearly as that allows. Each split keeps the order of the list.
 * Throws USAGE for shares, seed or threshold that are none.
 */
export function splitExamples(examples: readonly Example[], options: SplitOptions): Splits {
  const { seed, nearDuplicate = NEAR_DUPLICATE } = options;
  const wanted = sharesOf(options.shares);
  check(seed, nearDuplicate);
  const { sets, alike } = componentsOf(examples, nearDuplicate);
  const identities = examples.map((example) =>
    hash(JSON.stringify([example.id, example.query, example.group])),
  );
  // Neither a set's place nor that of its members may count, only what they are.
  const parts = sets.map((set) => {
    const [smallest] = set.map((i) => identities[i]!).sort();
    return { set, name: smallest!, ...drawn(`${seed} ${smallest}`), size: set.length };
  });
  parts.sort((a, b) => (a.name < b.name ? -1 : 1));
  const bins = assign(
    parts satisfies Part[],
    SPLITS.map((name) => wanted[name] * examples.length),
  );
  const split = new Int32Array(examples.length);
  for (const [place, { set }] of parts.entries()) for (const i of set) split[i] = bins[place]!;
  const of = (name: SplitName) => examples.filter((_, i) => SPLITS[split[i]!] === name);
  const made = { tune: of('tune'), calibrate: of('calibrate'), test: of('test') };
  const groups = (list: readonly Example[]) => new Set(list.map(({ group }) => group)).size;
  const reached = (name: SplitName) => ({
    examples: made[name].length,
    groups: groups(made[name]),
    wanted: wanted[name],
    reached: examples.length === 0 ? 0 : made[name].length / examples.length,
  });
  const report: SplitReport = {
    seed,
    nearDuplicate,
    examples: examples.length,
    splits: { tune: reached('tune'), calibrate: reached('calibrate'), test: reached('test') },
    groups: groups(examples),
    components: sets.length,
    largest: sets.reduce((most, { length }) => Math.max(most, length), 0),
    duplicates: {
      sets: alike.length,
      questions: alike.reduce((sum, { length }) => sum + length, 0),
      acrossGroups: alike.filter((set) => new Set(set.map((i) => examples[i]!.group)).size > 1).length,
    },
    remarks: [],
  };
  const tied = tiedGroups(examples, documentsFrom(examples, sets));
  report.remarks.push(...(tied === null ? [] : [tied]), ...missesOf(report));
  return { ...made, report };
}

function missesOf({ splits, examples, components, largest }: SplitReport): string[] {
  const remarks: string[] = [];
  const missed = SPLITS.filter(
    (name) => Math.abs(splits[name].examples - splits[name].wanted * examples) >= 1,
  );
  for (const name of missed) {
    const { examples: got, wanted } = splits[name];
    remarks.push(`${name} has ${got} examples where ${(wanted * examples).toFixed(1)} were wanted.`);
  }
  if (missed.length > 0) remarks.push(`The largest of the ${components} groups has ${largest} examples.`);
  return remarks;
}

/** Shares that sum to one. */
function sharesOf(shares: Record<SplitName, number>): Record<SplitName, number> {
  const values = SPLITS.map((name) => shares[name]);
  const sum = values.reduce((total, share) => total + share, 0);
  if (values.every((share) => Number.isFinite(share) && share >= 0) && sum > 0) {
    return { tune: shares.tune / sum, calibrate: shares.calibrate / sum, test: shares.test / sum };
  }
  throw new PragauraError('USAGE', `The shares ${values.join(', ')} divide nothing.`, {
    hint: 'Shares of tune, calibrate and test are numbers of at least 0, for example 0.2, 0.4 and 0.4.',
  });
}

function check(seed: number, nearDuplicate: number): void {
  if (!Number.isSafeInteger(seed)) {
    throw new PragauraError('USAGE', `The seed ${seed} is no whole number.`);
  }
  if (!(nearDuplicate > 0 && nearDuplicate <= 1)) {
    throw new PragauraError('USAGE', `The similarity ${nearDuplicate} of near-duplicates is not in (0, 1].`);
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Two numbers in [0, 1) that a text decides. */
function drawn(text: string): { order: number; draw: number } {
  const bytes = createHash('sha256').update(text).digest();
  return { order: bytes.readUIntBE(0, 6) / 2 ** 48, draw: bytes.readUIntBE(6, 6) / 2 ** 48 };
}
