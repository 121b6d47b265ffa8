import type { Level } from '../levels/level.ts';
import { ascending, countUpTo, leastExamples } from './conformal.ts';
import type { CoverageThreshold } from './types.ts';

/**
 * Split conformal when documents, not questions, are exchangeable (hierarchical conformal prediction: Lee, Barber and
 * Willett 2023, "Distribution-free inference with hierarchical data"; Dunn, Wasserman and Ramdas 2022). Each of the G
 * documents has one vote, which its questions share evenly; tau is the smallest score up to which the votes add up to
 * level * (G + 1), in whole numbers. A question drawn from a new document is then answered with probability at least
 * `level`, on average over calibrations and documents, however unlike documents are and however many questions they
 * have. All questions are used: one drawn a document would promise the same from less. With a question a document it
 * is `conformalThreshold`.
 *
 * `documents`: their scores, none empty. A score of Infinity is never answered. `needed` counts documents.
 */
export function conformalByDocument(
  documents: readonly (readonly number[])[],
  level: Level,
): CoverageThreshold {
  const votes = documents.map(ascending);
  const scores = ascending(votes.flat());
  const [n, count] = [scores.length, votes.length];
  const open = countUpTo(scores, Number.MAX_VALUE);
  const none = { n, k: 0, tau: null, ties: 0, open, documents: { n: count, share: null } };
  const missing = leastExamples(level) - count;
  if (missing > 0) return { ...none, why: 'too-few', needed: missing };
  if (!reaches(votes, Number.MAX_VALUE, level)) return { ...none, why: 'gates', needed: null };
  let [low, high] = [0, open - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reaches(votes, scores[middle]!, level)) high = middle;
    else low = middle + 1;
  }
  const tau = scores[low]!;
  const upTo = countUpTo(scores, tau);
  const k = scores.indexOf(tau) + 1;
  const share = votes.reduce((sum, own) => sum + countUpTo(own, tau) / own.length, 0) / count;
  return { n, k, tau, why: 'reached', needed: 0, ties: upTo - k, open, documents: { n: count, share } };
}

/** Do the votes for scores up to `tau` add up to level * (documents + 1)? Exact where floats cannot tell. */
function reaches(votes: readonly (readonly number[])[], tau: number, level: Level): boolean {
  const counts = votes.map((own) => [countUpTo(own, tau), own.length] as const);
  const sum = counts.reduce((total, [some, all]) => total + some / all, 0);
  const wanted = ((votes.length + 1) * Number(level.numerator)) / Number(level.denominator);
  if (Math.abs(sum - wanted) > 1e-9 * wanted) return sum > wanted;
  let [numerator, denominator] = [0n, 1n];
  for (const [some, all] of counts) {
    numerator = numerator * BigInt(all) + BigInt(some) * denominator;
    denominator *= BigInt(all);
  }
  return numerator * level.denominator >= BigInt(votes.length + 1) * level.numerator * denominator;
}
