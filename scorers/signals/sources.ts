import { copies, shingles } from './text.ts';
import type { ScoredPassage } from './types.ts';

/**
 * The independent source of each passage, by key, numbered from 0 in order of first appearance. Passages of one
 * document, and near-duplicates of each other whatever document they stand in, are one source (transitively).
 */
export function independentSources(passages: readonly ScoredPassage[]): ReadonlyMap<string, number> {
  const parent = passages.map((_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (parent[at] !== at) at = parent[at]!;
    return at;
  };
  const sets = passages.map(({ text }) => shingles(text));
  for (let i = 1; i < passages.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const [a, b] = [root(i), root(j)];
      if (a === b) continue;
      if (passages[i]!.docId === passages[j]!.docId || copies(sets[i]!, sets[j]!)) {
        parent[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  const numbers = new Map<number, number>();
  const sources = new Map<string, number>();
  passages.forEach(({ key }, i) => {
    const at = root(i);
    if (!numbers.has(at)) numbers.set(at, numbers.size);
    sources.set(key, numbers.get(at)!);
  });
  return sources;
}
