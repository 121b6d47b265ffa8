import { type AllocationProfile, BRANCHES, type BranchName, type Genre } from '../../profiles/index.ts';
import type { Candidate, Hit } from './types.ts';

/** Weight of the lexical score beside the dense one, which has the rest. Tuned on the 44 training articles of SQuAD. */
export const LEXICAL_WEIGHT = 0.5;

type Special = Exclude<BranchName, 'lexical' | 'dense'>;

/** How far a specialised branch may lift what the general ones leave open; tuned likewise. */
const SPECIAL_WEIGHT: Readonly<Record<Special, number>> = {
  definition: 0.15,
  quantity: 0.25,
  procedure: 0.05,
  cause: 0.25,
};

function unit(score: number): number {
  return Math.min(1, Math.max(0, score));
}

/**
 * Absolute fusion. The general part g is a weighted mean of two scores that are absolute themselves (BM25 share, and
 * cosine with negatives as 0); a specialised branch that found the passage with score s lifts it to
 * `g + (1 - g) * weight * s`, the best of them counts. In [0, 1], monotone in every score, and nothing is normalised
 * over the candidates at hand, so that scores of different queries and allocations can be compared. Without a dense score
 * (null: it could not be measured) g is the lexical one. `lexicalWeight`: in [0, 1].
 */
export function fuse(
  lexical: number,
  dense: number | null,
  branchScores: Candidate['branchScores'],
  lexicalWeight = LEXICAL_WEIGHT,
): number {
  const general =
    dense === null ? unit(lexical) : lexicalWeight * unit(lexical) + (1 - lexicalWeight) * unit(dense);
  let lift = 0;
  for (const name of Object.keys(SPECIAL_WEIGHT) as Special[]) {
    lift = Math.max(lift, SPECIAL_WEIGHT[name] * unit(branchScores[name] ?? 0));
  }
  return general + (1 - general) * lift;
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
export function order<T extends Pick<Candidate, 'ordinal' | 'fused' | 'genre'>>(
  candidates: readonly T[],
  genres: AllocationProfile['genres'],
): T[] {
  const plain = [...candidates].sort(best);
  const preferred = plain
    .map((candidate) => ({ ...candidate, fused: withGenre(candidate.fused, candidate.genre, genres) }))
    .sort(best);
  const bonus = new Map(preferred.map((candidate) => [candidate.ordinal, candidate]));
  const ordered = new Set<T>();
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
