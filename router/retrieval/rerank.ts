import type { Relevance, Scorers } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import type { CorpusIndex } from '../corpus/types.ts';
import type { Candidate } from './types.ts';

/**
 * The best candidates that the lease pays for, booked on it: one `rerankPairs` and the passage's `contextTokens`
 * each. Stops at the first that does not fit, so that a worse candidate is never read in place of a better one.
 */
export function affordable(
  index: Pick<CorpusIndex, 'passages'>,
  candidates: readonly Candidate[],
  lease: Lease,
  countTokens: Scorers['countTokens'],
): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (lease.left('rerankPairs') === 0) break;
    const tokens = countTokens(index.passages[candidate.ordinal]!.text);
    if (lease.left('contextTokens') < tokens) break;
    lease.spend('rerankPairs', 1);
    lease.spend('contextTokens', tokens);
    chosen.push(candidate);
  }
  return chosen;
}

/**
 * The order after the cross-encoder: what it scored, most relevant first, then what it did not look at. Equal scores
 * and unscored items keep the order in which they came, which is the fused one.
 */
export function rerankedOrder<T extends { relevance: Relevance | null }>(items: readonly T[]): T[] {
  const scored = items.filter(({ relevance }) => relevance !== null);
  const rest = items.filter(({ relevance }) => relevance === null);
  return [...scored.sort((a, b) => b.relevance!.logit - a.relevance!.logit), ...rest];
}
