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
 * What the fused score (in [0, 1]) weighs beside the relevance logit: by `pragaura bench tuning` (conditional logit:
 * which of the passages read for a question is its own?). The cross-encoder asks whether the answer stands in a passage;
 * what a question needs besides, its second paragraph or the background, fusion knows better.
 */
export const FUSED_WEIGHT = 8.7;

/** Log odds of being the passage that is sought, of what the cross-encoder and fusion say together. */
export function rankLogit({ logit }: Pick<Relevance, 'logit'>, { fused }: Pick<Candidate, 'fused'>): number {
  return logit + FUSED_WEIGHT * (fused - 0.5);
}

/** A candidate that is worth reading, and how it is asked about. */
export interface Chosen {
  candidate: Candidate;
  pair: QueryPassage;
}

/** What is read of the candidates of one query. `early`: what a first look made of a candidate, by its ordinal. */
export interface Selection {
  chosen: Chosen[];
  early: ReadonlyMap<number, Relevance>;
}

/**
 * Which candidates are read: those that the lease pays for, in fused order. Where the reader can take a first look
 * (`info.keep`), it looks at as many as there are `rerankPairs`, and the best of these (`rankLogit`) are read, as far as
 * there are `contextTokens`; equal ones in fused order.
 */
export async function selected(
  index: Pick<CorpusIndex, 'passages'>,
  query: string,
  candidates: readonly Candidate[],
  lease: Lease,
  scorers: Pick<Scorers, 'countTokens' | 'info' | 'early'>,
  signal?: AbortSignal,
): Promise<Selection> {
  const { keep } = scorers.info;
  const asked = candidates.map((candidate) => ({ candidate, pair: pairFor(index, query, candidate) }));
  if (keep === null) return { chosen: affordable(asked, 1, lease, scorers), early: new Map() };
  const looked = asked.slice(0, lease.left('rerankPairs'));
  lease.spend('rerankPairs', looked.length);
  const first = await scorers.early(
    looked.map(({ pair }) => pair),
    { signal },
  );
  const early = new Map(looked.map(({ candidate }, i) => [candidate.ordinal, first[i]!]));
  const best = looked
    .map((one, i) => ({ one, logit: rankLogit(first[i]!, one.candidate) }))
    .sort((a, b) => b.logit - a.logit)
    .slice(0, keep)
    .map(({ one }) => one);
  return { chosen: affordable(best, 0, lease, scorers), early };
}

function contextTokensOf(
  { passage, title = '' }: QueryPassage,
  { countTokens, info }: Pick<Scorers, 'countTokens' | 'info'>,
): number {
  const named = info.titleTokens === 0 ? 0 : Math.min(countTokens(title), info.titleTokens);
  return countTokens(passage) + named;
}

/**
 * The first that the lease pays for, booked on it: `pairsEach` `rerankPairs` each, and as `contextTokens` what the reader
 * reads of passage and title. Stops at the first that does not fit, so that a worse one is never read in place of a
 * better one.
 */
function affordable(
  asked: readonly Chosen[],
  pairsEach: 0 | 1,
  lease: Lease,
  scorers: Pick<Scorers, 'countTokens' | 'info'>,
): Chosen[] {
  const chosen: Chosen[] = [];
  for (const one of asked) {
    if (lease.left('rerankPairs') < pairsEach) break;
    const tokens = contextTokensOf(one.pair, scorers);
    if (lease.left('contextTokens') < tokens) break;
    lease.spend('rerankPairs', pairsEach);
    lease.spend('contextTokens', tokens);
    chosen.push(one);
  }
  return chosen;
}

/**
 * The order after the cross-encoder: what it read, by `rankLogit`, then what it took a first look at, likewise, then the
 * rest. Equal ones and the rest keep the order in which they came, which is the fused one.
 */
export function rerankedOrder<
  T extends { candidate: Pick<Candidate, 'fused'>; relevance: Relevance | null; early?: Relevance | null },
>(items: readonly T[]): T[] {
  const placed = items.map((item) => {
    const said = item.relevance ?? item.early ?? null;
    const tier = item.relevance !== null ? 2 : said !== null ? 1 : 0;
    return { item, tier, logit: said === null ? 0 : rankLogit(said, item.candidate) };
  });
  return placed.sort((a, b) => b.tier - a.tier || b.logit - a.logit).map(({ item }) => item);
}

/** A candidate with what the cross-encoder said of it, at a first look and when it read it; null where it was not asked. */
export interface Reranked {
  candidate: Candidate;
  early: Relevance | null;
  relevance: Relevance | null;
}

/** All candidates with their first looks and what `read` has of a place among the chosen; -1 for one that was not. */
export function withRead<T extends object>(
  candidates: readonly Candidate[],
  { chosen, early }: Selection,
  read: (place: number) => T,
): (Pick<Reranked, 'candidate' | 'early'> & T)[] {
  const placeOf = new Map(chosen.map(({ candidate }, place) => [candidate.ordinal, place]));
  return candidates.map((candidate) => ({
    candidate,
    early: early.get(candidate.ordinal) ?? null,
    ...read(placeOf.get(candidate.ordinal) ?? -1),
  }));
}

/** All candidates in the order after the cross-encoder, which is given what the lease pays for. */
export async function reranked(
  index: Pick<CorpusIndex, 'passages'>,
  query: string,
  candidates: readonly Candidate[],
  lease: Lease,
  scorers: Pick<Scorers, 'countTokens' | 'info' | 'early' | 'rerank'>,
  signal?: AbortSignal,
): Promise<Reranked[]> {
  const selection = await selected(index, query, candidates, lease, scorers, signal);
  const relevances = await scorers.rerank(
    selection.chosen.map(({ pair }) => pair),
    { signal },
  );
  return rerankedOrder(
    withRead(candidates, selection, (place) => ({ relevance: relevances[place] ?? null })),
  );
}
