import { copies, sameAnswer, shingles } from './text.ts';
import type { ScoredPassage } from './types.ts';

/**
 * The independent source of each passage, by key, numbered from 0 in order of first appearance. Passages of one
 * document are one source, and so are near-duplicates that give the same answer, whatever document they stand in
 * (transitively). A copy in which the answer was changed is no copy: it speaks against the others.
 * `answers[i]`: words of the answer that passage i gives.
 */
export function independentSources(
  passages: readonly ScoredPassage[],
  answers: readonly (readonly string[])[],
): ReadonlyMap<string, number> {
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
      const copied = sameAnswer(answers[i]!, answers[j]!) && copies(sets[i]!, sets[j]!);
      if (copied || passages[i]!.docId === passages[j]!.docId) parent[Math.max(a, b)] = Math.min(a, b);
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
