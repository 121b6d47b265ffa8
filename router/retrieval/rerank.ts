import type { Relevance } from '../../scorers/index.ts';

/**
 * The order after the cross-encoder: what it scored, most relevant first, then what it did not look at. Equal scores
 * and unscored items keep the order in which they came, which is the fused one.
 */
export function rerankedOrder<T extends { relevance: Relevance | null }>(items: readonly T[]): T[] {
  const scored = items.filter(({ relevance }) => relevance !== null);
  const rest = items.filter(({ relevance }) => relevance === null);
  return [...scored.sort((a, b) => b.relevance!.logit - a.relevance!.logit), ...rest];
}
