import type { IndexBackend, Passage } from '../../corpus/index.ts';
import {
  type ActDistribution,
  type Allocation,
  allocate,
  BRANCHES,
  type BranchName,
  type COUNTED_UNITS,
  type ProfileSet,
} from '../../profiles/index.ts';
import type { ActClassifier } from '../../router/acts/index.ts';
import { Ledger } from '../../router/budget/index.ts';
import type { Policy } from '../../router/index.ts';
import { besideLinks, linksOf, type Retrieval, reranked } from '../../router/retrieval/index.ts';
import type { Scorers } from '../../scorers/index.ts';

const POLICIES = ['uniform', 'act'] as const satisfies readonly Policy[];

/** Rankings that are compared, in the order of the table. */
export const STAGES = [
  ...BRANCHES,
  'fused, uniform',
  'fused, act',
  'reranked, uniform',
  'reranked, act',
] as const;
export type Stage = (typeof STAGES)[number];

/** Documents of a ranking that are kept. */
const KEPT = 10;
/** Passages that a branch is asked for when it stands alone: enough for ten documents of several passages. */
const ALONE = 60;

type Spent = Record<(typeof COUNTED_UNITS)[number], number>;

export interface QueryResult {
  id: string;
  /** Predicted act, and whether the classifier would stand by it. */
  act: string;
  confident: boolean;
  /** First documents of each stage; stages that were not asked for are missing. */
  rankings: Partial<Record<Stage, string[]>>;
  /** What the ledger says each policy spent. */
  spent: Record<Policy, Spent>;
}

export interface StageParts {
  index: IndexBackend;
  retrieval: Retrieval;
  acts: ActClassifier;
  profiles: ProfileSet;
  scorers: Scorers;
}

/** One query through every branch alone, and through both policies under the one budget. */
export async function runStages(
  parts: StageParts,
  query: { id: string; query: string },
  rerank: boolean,
): Promise<QueryResult> {
  const text = query.query;
  const [vector] = await parts.scorers.embed([text]);
  const act = parts.acts.classify(text, vector!);
  const rankings: QueryResult['rankings'] = {};
  for (const name of BRANCHES) rankings[name] = await alone(parts, name, text, vector!);

  const spent = {} as QueryResult['spent'];
  for (const policy of POLICIES) {
    const under = await rankedUnder(parts, { text, vector: vector!, act }, policy, rerank);
    rankings[`fused, ${policy}`] = under.fused;
    if (under.reranked !== null) rankings[`reranked, ${policy}`] = under.reranked;
    spent[policy] = under.spent;
  }
  return { id: query.id, act: act.label, confident: act.confident, rankings, spent };
}

/** The first documents of one query under a policy, and what they cost. */
export async function rankedUnder(
  { retrieval, profiles, scorers }: Pick<StageParts, 'retrieval' | 'profiles' | 'scorers'>,
  { text, vector, act }: { text: string; vector: Float32Array; act: ActDistribution },
  policy: Policy,
  rerank: boolean,
): Promise<{ fused: string[]; reranked: string[] | null; spent: Spent; allocation: Allocation }> {
  const share = besideLinks(retrieval, profiles.budget);
  const allocation = allocate(profiles, act, policy, share);
  const ledger = new Ledger(profiles.budget);
  const request = { query: text, vector, allocation, ledger };
  const { candidates } = await retrieval.retrieve(request);
  const fused = documents(candidates.map(({ indexed }) => indexed));
  let read: string[] | null = null;
  if (rerank) {
    const lease = ledger.lease('judge', {
      rerankPairs: allocation.rerankDepth,
      contextTokens: allocation.contextTokens,
    });
    const links = linksOf(retrieval, { request, room: profiles.budget.docsScored - share.docsScored });
    const ranked = await reranked({ query: text, lease, scorers, links }, candidates);
    read = documents(ranked.map(({ candidate }) => candidate.indexed));
    lease.close();
    links?.close();
  }
  const { ms: _, ...spent } = ledger.receipt().spent;
  return { fused, reranked: read, spent, allocation };
}

async function alone(
  parts: StageParts,
  name: BranchName,
  query: string,
  vector: Float32Array,
): Promise<string[]> {
  const budget = { docsScored: ALONE, rerankPairs: 0, nliPairs: 0, contextTokens: 0, ms: null };
  const lease = new Ledger(budget).lease(name, { docsScored: ALONE });
  const hits = await parts.retrieval.find(name, { query, vector, lease });
  return documents(await parts.index.passages(hits.map(({ ordinal }) => ordinal)));
}

/** Documents in order of their first passage. */
function documents(ranked: readonly { passage: Passage }[]): string[] {
  const ids = new Set<string>();
  for (const { passage } of ranked) {
    ids.add(passage.docId);
    if (ids.size === KEPT) break;
  }
  return [...ids];
}
