/**
 * Questions that are nearly the same, found exactly: a set-similarity join with prefix filtering (Bayardo, Ma and
 * Srikant 2007, "Scaling up all pairs similarity search"), so that nothing above the threshold is missed.
 */
import { UnionFind } from './union-find.ts';

/** At this Jaccard similarity of their word pairs two questions count as one. */
export const NEAR_DUPLICATE = 0.8;

/**
 * Lower case, compatibility forms and accents folded, punctuation dropped, words joined by one blank. Text without
 * a letter or digit stays as it is, apart from white space around it.
 */
export function normaliseQuestion(text: string): string {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? text.trim();
}

/** Pairs of adjacent words, those with the edges of the question included, each once. */
function wordPairs(normalised: string): string[] {
  const words = ['', ...normalised.split(' '), ''];
  return [...new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`))];
}

/**
 * Pairs [i, j] of questions, i < j, that are equal when normalised or whose sets of word pairs have a Jaccard
 * similarity of at least `threshold`, in (0, 1]. Not all such pairs, of which there may be billions, but enough of
 * them to connect whatever all of them connect; each pair connects two parts that were apart.
 */
export function nearDuplicates(
  questions: readonly string[],
  threshold: number = NEAR_DUPLICATE,
): [number, number][] {
  const pairs: [number, number][] = [];
  const first = new Map<string, number>();
  for (const [i, question] of questions.entries()) {
    const normalised = normaliseQuestion(question);
    const before = first.get(normalised);
    if (before === undefined) first.set(normalised, i);
    else pairs.push([before, i]);
  }
  const places = [...first.values()];
  for (const [a, b] of similar([...first.keys()], threshold)) {
    const [one, other] = [places[a]!, places[b]!];
    pairs.push(one < other ? [one, other] : [other, one]);
  }
  return pairs;
}

/** The join over different questions. */
function similar(texts: readonly string[], threshold: number): [number, number][] {
  const sets = asRankedSets(texts);
  // Short sets first: then whatever is indexed is no longer than the set that is looked up.
  const order = [...sets.keys()].sort((a, b) => sets[a]!.length - sets[b]!.length || a - b);
  // Holders of a word pair, by the part that they belonged to when they came: a part is left at its first match.
  const index = new Map<number, Map<number, number[]>>();
  const parts = new UnionFind(sets.length);
  const pairs: [number, number][] = [];
  for (const at of order) {
    const set = sets[at]!;
    // Two sets share at least ceil(t * longer) members, and so one of the rarest of each, all but that many less one.
    const least = threshold * set.length - ROUNDING;
    for (const member of set.subarray(0, set.length - Math.ceil(least) + 1)) {
      for (const [part, others] of index.get(member) ?? []) {
        if (parts.find(part) === parts.find(at)) continue;
        const match = others.find(
          (other) => sets[other]!.length >= least && jaccard(set, sets[other]!) >= threshold - ROUNDING,
        );
        if (match === undefined) continue;
        parts.unite(at, match);
        pairs.push([match, at]);
      }
    }
    // What comes later is as long or longer, and then they share ceil(2t / (1 + t) * length) members of this set.
    const shared = Math.ceil(((2 * threshold) / (1 + threshold)) * set.length - ROUNDING);
    const part = parts.find(at);
    for (const member of set.subarray(0, set.length - shared + 1)) {
      const holders = index.get(member) ?? new Map<number, number[]>();
      index.set(member, holders);
      const others = holders.get(part);
      if (others === undefined) holders.set(part, [at]);
      else others.push(at);
    }
  }
  return pairs;
}

/** Far below the distance of two ratios of counts of words. */
const ROUNDING = 1e-9;

/** Word pairs as numbers, rare ones small, ascending in each set. */
function asRankedSets(texts: readonly string[]): Int32Array[] {
  const counts = new Map<string, number>();
  const sets = texts.map((text) => {
    const pairs = wordPairs(text);
    for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
    return pairs;
  });
  const rank = new Map(
    [...counts]
      .sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1))
      .map(([pair], place) => [pair, place] as const),
  );
  return sets.map((pairs) => Int32Array.from(pairs, (pair) => rank.get(pair)!).sort());
}

/** Shared members over all members of two ascending sets. */
function jaccard(a: Int32Array, b: Int32Array): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      shared++;
      i++;
      j++;
    } else if (a[i]! < b[j]!) i++;
    else j++;
  }
  return shared / (a.length + b.length - shared);
}
