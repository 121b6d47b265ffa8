/**
 * Questions that are nearly the same, found exactly: a set-similarity join with prefix filtering (Bayardo, Ma and
 * Srikant 2007, "Scaling up all pairs similarity search"), so that no pair above the threshold is missed.
 */

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
 * similarity of at least `threshold`, in (0, 1]. Of questions that are equal each is paired with the first; whatever
 * is similar to one is paired with the first as well, so that the pairs connect what belongs together.
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
  pairs.push(...similar([...first], threshold));
  return pairs;
}

/** The join over different questions. */
function similar(distinct: readonly [string, number][], threshold: number): [number, number][] {
  const sets = asRankedSets(distinct.map(([text]) => text));
  // Short sets first: then whatever is indexed is no longer than the set that is looked up.
  const order = [...sets.keys()].sort((a, b) => sets[a]!.length - sets[b]!.length || a - b);
  const index = new Map<number, number[]>();
  const pairs: [number, number][] = [];
  for (const at of order) {
    const set = sets[at]!;
    const least = threshold * set.length;
    // Two sets that share enough share one of their rarest members: of n, those but the last ceil(t * n) - 1.
    const prefix = set.length - Math.ceil(least - ROUNDING) + 1;
    const seen = new Set<number>();
    for (const member of set.subarray(0, prefix)) {
      const holders = index.get(member);
      for (const other of holders ?? []) {
        if (seen.has(other) || sets[other]!.length < least - ROUNDING) continue;
        seen.add(other);
        if (jaccard(set, sets[other]!) < threshold - ROUNDING) continue;
        const [a, b] = [distinct[at]![1], distinct[other]![1]];
        pairs.push(a < b ? [a, b] : [b, a]);
      }
      if (holders === undefined) index.set(member, [at]);
      else holders.push(at);
    }
  }
  return pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
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
