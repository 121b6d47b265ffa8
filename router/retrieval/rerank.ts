import { withoutNumber } from '../../corpus/index.ts';
import type { QueryPassage, Relevance, Scorers } from '../../scorers/index.ts';
import type { Lease } from '../budget/index.ts';
import type { Links } from './links.ts';
import { rankLogit } from './rank-logit.ts';
import type { Candidate } from './types.ts';

/**
 * What the cross-encoder is given of a candidate: the text of its passage; of its title what names the document, because
 * that is what titles were when the models were trained, and the innermost heading, unless the text begins with it.
 */
export function pairFor(
  query: string,
  { indexed }: Pick<Candidate, 'indexed'>,
): Record<keyof QueryPassage, string> {
  const { text, title } = indexed.passage;
  const [document, ...headings] = title.split(' > ');
  const heading = withoutNumber(headings.at(-1) ?? '');
  return { query, passage: text, title: document!, heading: text.startsWith(heading) ? '' : `${heading}:` };
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
  query: string,
  candidates: readonly Candidate[],
  lease: Lease,
  scorers: Pick<Scorers, 'countTokens' | 'info' | 'early'>,
  signal?: AbortSignal,
): Promise<Selection> {
  const { keep } = scorers.info;
  const asked = candidates.map((candidate) => ({ candidate, pair: pairFor(query, candidate) }));
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
  { passage, title = '', heading = '' }: QueryPassage,
  { countTokens, info }: Pick<Scorers, 'countTokens' | 'info'>,
): number {
  const named = (name: string) => (name === '' ? 0 : Math.min(countTokens(name), info.titleTokens));
  return countTokens(passage) + named(title) + named(heading);
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
  T extends {
    candidate: Pick<Candidate, 'fused' | 'link'>;
    relevance: Relevance | null;
    early?: Relevance | null;
  },
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

/** What reads the pairs that were chosen, with what a query pays by and the names that lead from passage to passage. */
export interface Judging<T> {
  query: string;
  lease: Lease;
  scorers: Pick<Scorers, 'countTokens' | 'info' | 'early'>;
  /** Null: no document is named by another. */
  links: Links | null;
  read(pairs: readonly QueryPassage[]): Promise<readonly T[]>;
  signal?: AbortSignal | undefined;
}

/** Share of the pairs that are read before it is seen whether more have to be. */
const FIRST = 0.6;
/**
 * Relevance from which on a passage surely answers. No more are read then: the answer is hardly ever in what fusion has
 * ranked behind.
 */
export const SURE = 0.9;

/**
 * All candidates with what was read of those that the lease pays for. The best are read first. Where they name documents that
 * are no candidates, or late ones, what they name takes part in the rest, and candidates that are found so are added; where
 * they name none and one of them surely answers, the rest is not read. A reader in halves follows only the names in the
 * question.
 */
export async function judged<T extends { relevance: Relevance }>(
  { query, lease, scorers, links, read, signal }: Judging<T>,
  candidates: readonly Candidate[],
): Promise<(Pick<Reranked, 'candidate' | 'early'> & { said: T | null })[]> {
  const early = new Map<number, Relevance>();
  const said = new Map<number, T>();
  const readSome = async (some: readonly Candidate[]): Promise<boolean> => {
    const selection = await selected(query, some, lease, scorers, signal);
    const answers = await read(selection.chosen.map(({ pair }) => pair));
    for (const [ordinal, looked] of selection.early) early.set(ordinal, looked);
    for (const [place, { candidate }] of selection.chosen.entries()) {
      said.set(candidate.ordinal, answers[place]!);
    }
    return selection.chosen.length === some.length;
  };
  let all = (await links?.asked(candidates)) ?? candidates;
  const halves = scorers.info.keep !== null;
  const first = halves ? all.length : Math.min(all.length, Math.ceil(FIRST * lease.left('rerankPairs')));
  if ((await readSome(all.slice(0, first))) && first < all.length) {
    const leadsOn = links?.leadOn(all.slice(0, first)) ?? false;
    const rest = leadsOn ? await links!.after(all, first, said) : all.slice(first);
    all = [...all.slice(0, first), ...rest];
    const found = [...said.values()].some(({ relevance }) => relevance.score >= SURE);
    if (leadsOn || !found) await readSome(rest);
  }
  return (links?.lifted(all, said) ?? all).map((candidate) => ({
    candidate,
    early: early.get(candidate.ordinal) ?? null,
    said: said.get(candidate.ordinal) ?? null,
  }));
}

/** All candidates in the order after the cross-encoder, which is given what the lease pays for. */
export async function reranked(
  {
    scorers,
    signal,
    ...rest
  }: Omit<Judging<never>, 'read' | 'scorers'> & {
    scorers: Judging<never>['scorers'] & Pick<Scorers, 'rerank'>;
  },
  candidates: readonly Candidate[],
): Promise<Reranked[]> {
  const read = async (pairs: readonly QueryPassage[]) =>
    (await scorers.rerank(pairs, { signal })).map((relevance) => ({ relevance }));
  const all = await judged({ ...rest, scorers, signal, read }, candidates);
  return rerankedOrder(all.map(({ said, ...one }) => ({ ...one, relevance: said?.relevance ?? null })));
}
