/** The n-gram features of a query, hashed into a fixed number of buckets. */
import grams from 'natural/lib/natural/ngrams/ngrams.js';
import { askedFor } from './asked-for.ts';
import type { QueryText } from './text.ts';

/** Number of buckets; a power of two. */
export const BUCKETS = 1 << 15;

/** Share of each kind in the (unit) length of the feature vector before weighting by the trainer. */
const WORD_WEIGHT = 1;
const CHAR_WEIGHT = 0.7;
const SHAPE_WEIGHT = 0.5;

/** Words whose letters are looked at: more of them only dilute. */
const CHAR_WORDS = 40;

/** Sparse features: `indices` are distinct buckets, `values` go with them. */
export interface SparseFeatures {
  indices: Uint16Array;
  values: Float32Array;
}

/**
 * Word 1-, 2- and 3-grams with the ends marked and stop words kept (they are what tells acts apart), the first four
 * words as one feature, character 3- to 5-grams within words, a few shapes, and what is asked for. Every feature counts
 * once however often it occurs, so that saying "how many" a thousand times weighs no more than saying it once.
 */
export function ngramFeatures(text: QueryText): SparseFeatures {
  const { tokens } = text;
  const words = new Set<number>();
  for (const n of [1, 2, 3]) {
    for (const gram of grams.ngrams(tokens, n, n > 1 ? '[s]' : undefined, n > 1 ? '[e]' : undefined)) {
      words.add(bucket(`w${n} ${gram.join(' ')}`));
    }
  }
  if (tokens.length > 3) words.add(bucket(`w4 ${tokens.slice(0, 4).join(' ')}`));

  const chars = new Set<number>();
  for (const token of tokens.slice(0, CHAR_WORDS)) {
    if (token.length < 2) continue;
    const letters = [...`^${token}$`];
    for (const n of [3, 4, 5]) {
      for (const gram of grams.ngrams(letters, n)) chars.add(bucket(`c ${gram.join('')}`));
    }
  }

  const shapes = new Set(shapesOf(text).map((shape) => bucket(`s ${shape}`)));
  return merge([
    [words, WORD_WEIGHT],
    [chars, CHAR_WEIGHT],
    [shapes, SHAPE_WEIGHT],
  ]);
}

function shapesOf({ tokens, capital }: QueryText): string[] {
  const last = tokens.at(-1) ?? '';
  const shapes = [`length ${lengthClass(tokens.length)}`, `first ${tokens[0] ?? ''}`];
  if (tokens.includes('?')) shapes.push('?');
  if (last === '?') shapes.push('? at the end');
  if (last === '.' || last === '!') shapes.push(capital ? 'sentence' : 'stop at the end');
  if (capital) shapes.push('capital');
  return [...shapes, ...askedFor(tokens)];
}

function lengthClass(length: number): string {
  const steps = [1, 2, 3, 4, 6, 9, 14, 24, 48];
  return String(steps.find((step) => length <= step) ?? 'more');
}

/** Each group is scaled to its weight; a bucket hit by two groups keeps the sum. */
function merge(groups: readonly [Set<number>, number][]): SparseFeatures {
  const sum = new Map<number, number>();
  for (const [buckets, weight] of groups) {
    const value = weight / Math.sqrt(Math.max(1, buckets.size));
    for (const index of buckets) sum.set(index, (sum.get(index) ?? 0) + value);
  }
  const indices = Uint16Array.from(sum.keys()).sort();
  return { indices, values: Float32Array.from(indices, (index) => sum.get(index) ?? 0) };
}

/** FNV-1a over UTF-16 code units, folded to the number of buckets. */
function bucket(feature: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < feature.length; i++) {
    hash = Math.imul(hash ^ feature.charCodeAt(i), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}
