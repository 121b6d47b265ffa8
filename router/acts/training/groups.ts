/** Near-duplicates belong together, so that no fold is tested on what another fold was taught. */

/** A pair of neighbouring words that stands in more texts than this is a phrase, not a sign of a copy. */
const RARE = 25;
/** Share of the pairs of words that two texts have in common (Jaccard) from which on they are near-duplicates. */
const SIMILAR = 0.5;

/** Returns a group number for each text; equal texts and near-duplicates share one (transitively). */
export function nearDuplicateGroups(texts: readonly string[]): number[] {
  const shingles = texts.map(wordPairs);
  const holders = new Map<string, number[]>();
  for (const [i, pairs] of shingles.entries()) {
    for (const pair of pairs) {
      const list = holders.get(pair);
      if (list) list.push(i);
      else holders.set(pair, [i]);
    }
  }
  const parent = texts.map((_, i) => i);
  const root = (i: number): number => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]!]!;
    return i;
  };
  for (const list of holders.values()) {
    if (list.length > RARE) continue;
    for (const [at, a] of list.entries()) {
      for (const b of list.slice(at + 1)) {
        if (root(a) !== root(b) && jaccard(shingles[a]!, shingles[b]!) >= SIMILAR) parent[root(b)] = root(a);
      }
    }
  }
  const byText = new Map<string, number>();
  for (const [i, pairs] of shingles.entries()) {
    const key = [...pairs].join('|');
    const first = byText.get(key);
    if (first === undefined) byText.set(key, i);
    else parent[root(i)] = root(first);
  }
  return texts.map((_, i) => root(i));
}

/** The words of a text without case and punctuation. */
export function normalForm(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ');
}

function wordPairs(text: string): Set<string> {
  const words = ['', ...normalForm(text).split(' '), ''];
  const pairs = new Set<string>();
  for (let i = 1; i < words.length; i++) pairs.add(`${words[i - 1]} ${words[i]}`);
  return pairs;
}

function jaccard(a: Set<string>, b: Set<string>): number {
  let both = 0;
  for (const item of a) if (b.has(item)) both++;
  return both / (a.size + b.size - both);
}
