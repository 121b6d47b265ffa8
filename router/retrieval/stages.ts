import { sigmoid } from '../../common/index.ts';
import type { IndexBackend, IndexedPassage, Passage } from '../../corpus/index.ts';
import { allocate, type BranchName, type Budget, type ProfileSet } from '../../profiles/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import type { ActClassifier } from '../acts/index.ts';
import { Ledger } from '../budget/index.ts';
import type { Filters } from '../contracts.ts';
import { besideLinks, linksOf } from './links.ts';
import { rankLogit } from './rank-logit.ts';
import { reranked } from './rerank.ts';
import type { RankedPassage } from './trec.ts';
import type { Retrieval } from './types.ts';

/** A branch on its own, or what becomes of all of them together. */
export type Stage = BranchName | 'fused' | 'reranked';

export interface StageParts {
  index: IndexBackend;
  retrieval: Retrieval;
  profiles: ProfileSet;
  policy: 'act' | 'uniform';
  budget: Budget;
  /** Needed by `dense`, `fused` and `reranked`. */
  scorers: Pick<Scorers, 'embed' | 'early' | 'rerank' | 'countTokens' | 'info'> | null;
  /** Needed by `fused` and `reranked`. */
  acts: Pick<ActClassifier, 'classify'> | null;
}

interface StageQuery {
  query: string;
  filters?: Filters | undefined;
  signal?: AbortSignal | undefined;
}

/** With the passage itself. */
type RankedAt = RankedPassage & { passage: Passage };

const NOTHING = new Float32Array(0);

/** The passages of one branch, `k` at most. */
async function alone(
  parts: StageParts,
  name: BranchName,
  request: StageQuery,
  k: number,
): Promise<RankedAt[]> {
  const { retrieval, index } = parts;
  const ledger = new Ledger({ ...parts.budget, docsScored: k });
  const vector = name === 'dense' ? await embedOne(parts, request) : NOTHING;
  const lease = ledger.lease(name, { docsScored: k });
  const hits = await retrieval.find(name, { ...request, vector, lease });
  const ordinals = hits.map(({ ordinal }) => ordinal);
  const found = await index.passages(ordinals, { signal: request.signal });
  return found.map((indexed, i) => ranked(indexed, hits[i]!.score));
}

function ranked({ passage }: IndexedPassage, score: number): RankedAt {
  const { docId, passageId } = passage;
  return { passage, docId, passageId, score };
}

async function embedOne({ scorers }: StageParts, { query, signal }: StageQuery): Promise<Float32Array> {
  const [vector] = await scorers!.embed([query], signal === undefined ? {} : { signal });
  return vector!;
}

/** The fused candidates of a query and, where asked for, the best of them through the cross-encoder. */
async function together(parts: StageParts, request: StageQuery, rerank: boolean): Promise<RankedAt[]> {
  const { retrieval, profiles, policy, budget, scorers } = parts;
  const vector = await embedOne(parts, request);
  const ledger = new Ledger(budget);
  const act = parts.acts!.classify(request.query, vector);
  const share = besideLinks(retrieval, budget);
  const allocation = allocate(profiles, act, policy, share);
  const asked = { ...request, vector, allocation, ledger };
  const { candidates } = await retrieval.retrieve(asked);
  if (!rerank) return candidates.map(({ indexed, fused }) => ranked(indexed, fused));
  const lease = ledger.lease('judge', {
    rerankPairs: allocation.rerankDepth,
    contextTokens: allocation.contextTokens,
  });
  const { query, signal } = request;
  const links = linksOf(retrieval, { request: asked, room: budget.docsScored - share.docsScored });
  const read = await reranked({ query, lease, scorers: scorers!, links, signal }, candidates);
  lease.close();
  links?.close();
  // What was read stays above what was only looked at, and that above the rest: one more than a probability is above
  // every other score.
  const step = read.some(({ early }) => early !== null) ? 2 : 1;
  return read.map(({ candidate, relevance, early }) => {
    const said = relevance ?? early;
    if (said === null) return ranked(candidate.indexed, candidate.fused);
    const probability = sigmoid(rankLogit(said, candidate));
    return ranked(candidate.indexed, (relevance === null ? 1 : step) + probability);
  });
}

/**
 * Ranks passages for a query as one stage of the router would, best first, `k` at most. Scores: a branch's own;
 * `fused` in [0, 1]; `reranked` 1 + the probability of `rankLogit` for what the cross-encoder read (2 + it,
 * where a first look came before, which counts 1 + its own), the fused score for the rest.
 */
export async function rankStage(
  parts: StageParts,
  stage: Stage,
  request: StageQuery,
  k: number,
): Promise<RankedAt[]> {
  if (stage !== 'fused' && stage !== 'reranked') return alone(parts, stage, request, k);
  return (await together(parts, request, stage === 'reranked')).slice(0, k);
}
