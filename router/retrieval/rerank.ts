import type { QueryPassage, Relevance, Scorers } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import type { CorpusIndex } from '../corpus/types.ts';
import type { Candidate } from './types.ts';

/**
 * What the cross-encoder is given of a candidate: the text of its passage, and of its title what names the document
 * (before the headings), because that is what titles were when the models were trained.
 */
export function pairFor(
  { passages }: Pick<CorpusIndex, 'passages'>,
  query: string,
  { ordinal }: Pick<Candidate, 'ordinal'>,
): Record<keyof QueryPassage, string> {
  const { text, title } = passages[ordinal]!;
  return { query, passage: text, title: title.split(' > ', 1)[0]! };
}

/**
 * The best candidates that the lease pays for, booked on it: one `rerankPairs` each, and as `contextTokens` what the
 * reader reads of passage and title. Stops at the first that does not fit, so that a worse candidate is never read in
 * place of a better one.
 */
export function affordable(
  index: Pick<CorpusIndex, 'passages'>,
  candidates: readonly Candidate[],
  lease: Lease,
  { countTokens, info }: Pick<Scorers, 'countTokens' | 'info'>,
): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of candidates) {
    if (lease.left('rerankPairs') === 0) break;
    const { passage, title } = pairFor(index, '', candidate);
    const named = info.titleTokens === 0 ? 0 : Math.min(countTokens(title), info.titleTokens);
    const tokens = countTokens(passage) + named;
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
