import { type AllocationProfile, BRANCHES, type BranchName, type Genre } from '../../profiles/index.ts';
import type { Candidate, Hit } from './types.ts';

/** Weights of the lexical, the dense and the best act-specialised score; they sum to one. */
export const WEIGHTS = { lexical: 0.5, dense: 0.45, special: 0.05 } as const;

/** What the general branches say of a passage and whether a specialised one found it. */
export interface Scores {
  lexical: number;
  dense: number;
  /** Best score among the specialised branches that handed the passage over, 0 when none did. */
  special: number;
}

function unit(score: number): number {
  return Math.min(1, Math.max(0, score));
}

/**
 * Absolute fusion: a weighted mean of scores that are absolute themselves (BM25 share, cosine with negatives as 0),
 * in [0, 1] and monotone in each; nothing is normalised over the candidates at hand.
 */
export function fuse({ lexical, dense, special }: Scores): number {
  return WEIGHTS.lexical * unit(lexical) + WEIGHTS.dense * unit(dense) + WEIGHTS.special * unit(special);
}

/** Adds `weight * preference` of the genre, at most up to 1. */
function withGenre(fused: number, genre: Genre, { preference, weight }: AllocationProfile['genres']): number {
  return Math.min(1, fused + weight * (preference[genre] ?? 0));
}

/** Every passage that a branch handed over, once, with the score that each branch gave it. */
export function gather(
  byBranch: Partial<Record<BranchName, readonly Hit[]>>,
): Map<number, Candidate['branchScores']> {
  const gathered = new Map<number, Candidate['branchScores']>();
  for (const name of BRANCHES) {
    for (const { ordinal, score } of byBranch[name] ?? []) {
      const scores = gathered.get(ordinal) ?? {};
      scores[name] = score;
      gathered.set(ordinal, scores);
    }
  }
  return gathered;
}

function best(a: { fused: number; ordinal: number }, b: { fused: number; ordinal: number }): number {
  return b.fused - a.fused || a.ordinal - b.ordinal;
}

/**
 * Orders the candidates by fused score with the genre's bonus. Among the first n, for every n, at least
 * `floor * n` are the best without it, so that a preference never shuts out what it does not like. Ties: lower
 * ordinal first. `fused` of the result holds the bonus.
 */
export function order(candidates: readonly Candidate[], genres: AllocationProfile['genres']): Candidate[] {
  const plain = [...candidates].sort(best);
  const preferred = plain
    .map((candidate) => ({ ...candidate, fused: withGenre(candidate.fused, candidate.genre, genres) }))
    .sort(best);
  const bonus = new Map(preferred.map((candidate) => [candidate.ordinal, candidate]));
  const ordered = new Set<Candidate>();
  let fromPlain = 0;
  let nextPlain = 0;
  let nextPreferred = 0;
  while (ordered.size < plain.length) {
    const owed = Math.ceil(genres.floor * (ordered.size + 1) - 1e-9);
    while (nextPlain < plain.length && ordered.has(bonus.get(plain[nextPlain]!.ordinal)!)) {
      nextPlain++;
      fromPlain++;
    }
    if (fromPlain < owed) ordered.add(bonus.get(plain[nextPlain]!.ordinal)!);
    else {
      while (ordered.has(preferred[nextPreferred]!)) nextPreferred++;
      ordered.add(preferred[nextPreferred]!);
    }
  }
  return [...ordered];
}
