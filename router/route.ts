/** The way of one query, from its words to a decision. Each step is a room of its own; this file strings them. */
import { PragauraError } from '../errors.ts';
import { type Allocation, allocate, type Budget, type ProfileSet } from '../profiles/index.ts';
import { chooseAnswer, planNli, type Scorers, signalsFrom } from '../scorers/index.ts';
import type { ActClassifier } from './acts/index.ts';
import { Ledger } from './budget/index.ts';
import type { Decision, Query } from './contracts.ts';
import type { IdentifierTable } from './corpus/identifiers/index.ts';
import type { CorpusIndex } from './corpus/types.ts';
import {
  type DecisionInput,
  decide,
  featuresOf,
  type Outcome,
  precheck,
  screenQuery,
  type Thresholds,
} from './decision/index.ts';
import { evidenceFor, evidenceShown, type Judged, readable } from './evidence.ts';
import type { KnowledgeGraph } from './graph/index.ts';
import { aboutNamed, inCorpusSpelling, type LayerSettings, withoutInstructions } from './layers/index.ts';
import {
  type Candidate,
  type Retrieval,
  type RetrievalResult,
  rerankedOrder,
  selected,
} from './retrieval/index.ts';
import { Stopwatch } from './stopwatch.ts';
import type { Explanation, Policy, RouteOptions } from './types.ts';
import type { Vocabulary } from './vocabulary/index.ts';

/** Everything that one query needs and that all queries share. */
export interface Parts {
  index: CorpusIndex;
  identifiers: IdentifierTable;
  retrieval: Retrieval;
  acts: Pick<ActClassifier, 'classify'>;
  profiles: ProfileSet;
  scorers: Scorers;
  thresholds: Thresholds;
  policy: Policy;
  budget: Budget;
  layers: LayerSettings;
  vocabulary: Vocabulary | null;
  graph: KnowledgeGraph | null;
  versions: Decision['versions'];
}

/** What is known so far. A deadline may cut the way short after any step; the decision is then made on this. */
interface Trail extends DecisionInput {
  allocation: Allocation | null;
  retrieved: RetrievalResult;
  judged: readonly Judged[];
}

/**
 * Decides one query and says how. A deadline that passes gives an abstention, never an answer.
 * Throws ABORTED when the caller's signal fires, and whatever typed error a stage failed with.
 */
export async function explainQuery(
  parts: Parts,
  query: Query,
  options: RouteOptions = {},
): Promise<Explanation> {
  const watch = new Stopwatch();
  const budget = withDeadline(parts.budget, query.deadlineMs);
  const ledger = new Ledger(budget);
  const deadline = budget.ms === null ? undefined : AbortSignal.timeout(budget.ms);
  const signal = anySignal(options.signal, deadline);

  const { acts, thresholds } = parts;
  const text = query.query;
  let trail: Trail | null = null;
  let outcome: Outcome;
  try {
    const vector = await watch.time('embed', () => embedOne(parts.scorers, text, signal));
    const act = await watch.time('act', () => acts.classify(text, vector));
    const begun = emptyTrail(parts, query, act);
    trail = begun;
    outcome =
      screenQuery(text, act, thresholds) ??
      (await gather(parts, query, vector, begun, ledger, watch, signal)) ??
      (await watch.time('decide', () => decide(begun, thresholds)));
  } catch (error) {
    if (options.signal?.aborted) throw aborted(error);
    if (!deadline?.aborted) throw error;
    // Too late for the query's vector: the words alone say which act it is.
    trail ??= emptyTrail(parts, query, acts.classify(text, null));
    outcome = decide({ ...trail, deadlineExceeded: true }, thresholds);
  }
  return explanation(parts, query, trail, outcome, ledger, watch);
}

/** The abstention of a query whose deadline has passed before it was taken up. */
export function expiredQuery(parts: Parts, query: Query): Decision {
  const trail = emptyTrail(parts, query, parts.acts.classify(query.query, null));
  const outcome = decide({ ...trail, deadlineExceeded: true }, parts.thresholds);
  const ledger = new Ledger(withDeadline(parts.budget, query.deadlineMs), () => 0);
  return {
    ...explanation(parts, query, trail, outcome, ledger, new Stopwatch()).decision,
    timings: { total: 0 },
  };
}

/** Fills the trail, stage by stage, under the ledger. Gives an outcome when a gate closes before the models run. */
async function gather(
  parts: Parts,
  query: Query,
  vector: Float32Array,
  trail: Trail,
  ledger: Ledger,
  watch: Stopwatch,
  signal: AbortSignal | undefined,
): Promise<Outcome | null> {
  const { identifiers, retrieval, scorers } = parts;
  const named = identifiers
    .extract(query.query)
    .map((each) => ({ ...each, known: identifiers.has(each.id) }));
  const known = named.filter((each) => each.known);
  const text = inCorpusSpelling(query.query, known);
  const allocation = allocate(parts.profiles, trail.act, parts.policy, parts.budget);
  trail.allocation = allocation;

  trail.retrieved = await watch.time('retrieve', () =>
    retrieval.retrieve({ query: text, vector, filters: query.filters, allocation, ledger, signal }),
  );
  const passageOf = ({ ordinal }: Candidate) => parts.index.passages[ordinal]!;
  const { kept, suspects } = withoutInstructions(trail.retrieved.candidates, passageOf, parts.layers);
  trail.suspects = suspects;
  trail.judged = kept.map((candidate) => ({
    candidate,
    early: null,
    relevance: null,
    reading: null,
  }));
  trail.evidence = evidenceFor(parts.index, trail.judged);
  trail.coverage = retrieval.coverage(text);
  trail.identifiers = named.map((each) => ({
    id: each.id,
    known: each.known,
    near: each.known ? [] : identifiers.nearest(each.id, 3),
  }));
  const refused = precheck(trail, parts.thresholds);
  if (refused !== null) return refused;

  // Other records of the kind that the query names are no evidence, for or against.
  const wanted = parts.layers.identifierInEvidence.on ? known.map(({ id }) => id) : [];
  const candidates = aboutNamed(kept, passageOf, wanted, trail.identifiersIn);
  trail.judged = await watch.time('judge', () => judge(parts, text, candidates, allocation, ledger, signal));
  trail.evidence = evidenceFor(parts.index, trail.judged);

  const passages = readable(parts.index, trail.judged);
  trail.answers = chooseAnswer(text, passages);
  trail.report = await watch.time('nli', async () => {
    const lease = ledger.lease('nli', { nliPairs: allocation.nliPairs });
    const plan = planNli(text, passages, trail.answers, lease.granted.nliPairs);
    lease.spend('nliPairs', plan.pairs.length);
    const scores = await scorers.nli(plan.pairs, { signal });
    lease.close();
    return signalsFrom(passages, trail.answers, plan, scores);
  });
  trail.evidence = evidenceFor(parts.index, trail.judged, trail.report);
  return null;
}

/** All candidates; relevance and reading of the best, as far as pairs and context tokens were granted. */
async function judge(
  parts: Parts,
  query: string,
  candidates: readonly Candidate[],
  allocation: Allocation,
  ledger: Ledger,
  signal: AbortSignal | undefined,
): Promise<Judged[]> {
  const { index, scorers } = parts;
  const lease = ledger.lease('judge', {
    rerankPairs: allocation.rerankDepth,
    contextTokens: allocation.contextTokens,
  });
  const { chosen, early } = await selected(index, query, candidates, lease, scorers, signal);
  const pairs = chosen.map(({ pair }) => pair);
  // Asked for together, so that one pass of a model that has both heads serves both.
  const [relevances, readings] = await Promise.all([
    scorers.rerank(pairs, { signal }),
    scorers.read(pairs, { signal }),
  ]);
  lease.close();
  const placeOf = new Map(chosen.map(({ candidate }, i) => [candidate.ordinal, i]));
  return candidates.map((candidate) => {
    const place = placeOf.get(candidate.ordinal) ?? -1;
    return {
      candidate,
      early: early.get(candidate.ordinal) ?? null,
      relevance: relevances[place] ?? null,
      reading: readings[place] ?? null,
    };
  });
}

function explanation(
  parts: Parts,
  query: Query,
  trail: Trail,
  outcome: Outcome,
  ledger: Ledger,
  watch: Stopwatch,
): Explanation {
  const { passages } = parts.index;
  const decision: Decision = {
    schema: 'pragaura.decision/2',
    id: query.id,
    query: query.query,
    action: outcome.action,
    act: trail.act,
    ...(outcome.answer && { answer: outcome.answer }),
    evidence: evidenceShown(
      outcome.definition === undefined ? trail.evidence : [outcome.definition, ...trail.evidence],
      outcome.answer?.passageId,
    ),
    ...(outcome.clarification && { clarification: outcome.clarification }),
    ...(outcome.abstention && { abstention: { ...outcome.abstention, kind: 'OTHER' } }),
    state: trail.state,
    layers: outcome.layers,
    caveats: outcome.caveats,
    defaults: [],
    graph: trail.path,
    plan: outcome.plan ?? null,
    signals: outcome.signals,
    U: outcome.U,
    tau: outcome.tau,
    guarantee: outcome.guarantee,
    receipt: ledger.receipt(),
    timings: watch.stop(),
    versions: parts.versions,
  };
  const best = trail.answers.clusters[0];
  const read = trail.judged.filter(({ reading }) => reading !== null);
  return {
    decision,
    policy: parts.policy,
    blendedFrom: trail.allocation?.blendedFrom ?? [],
    branches: Object.entries(trail.retrieved.byBranch).map(([name, hits]) => ({
      name: name as keyof typeof trail.retrieved.byBranch,
      hits: hits.map(({ ordinal, score }) => ({ passageId: passages[ordinal]!.passageId, score })),
    })),
    candidates: read.map(({ candidate, relevance, reading }) => ({
      passageId: passages[candidate.ordinal]!.passageId,
      docId: passages[candidate.ordinal]!.docId,
      fused: candidate.fused,
      relevance: relevance?.score ?? null,
      reading: reading?.best?.text ?? null,
      margin: reading?.margin ?? null,
    })),
    ranking: rerankedOrder(read).map(({ candidate }) => {
      const { docId, passageId } = passages[candidate.ordinal]!;
      return { docId, passageId };
    }),
    candidate: best === undefined ? null : candidateOf(parts.index, read, best),
    closed: outcome.gate,
    features: featuresOf(trail),
    planning: null,
    input: trail.allocation === null ? null : trail,
  };
}

function candidateOf(
  { passages }: CorpusIndex,
  read: readonly Judged[],
  { text, claim, score, voices }: Trail['answers']['clusters'][number],
): NonNullable<Explanation['candidate']> {
  const passage = read
    .map(({ candidate }) => passages[candidate.ordinal]!)
    .find(({ passageId }) => passageId === voices[0]!.key)!;
  return { text, claim, score, docId: passage.docId, passageId: passage.passageId, passage: passage.text };
}

function emptyTrail(parts: Parts, { query, history = [] }: Query, act: DecisionInput['act']): Trail {
  const answers = chooseAnswer(query, []);
  return {
    query,
    history,
    act,
    allocation: null,
    retrieved: { candidates: [], byBranch: {} },
    judged: [],
    evidence: [],
    suspects: [],
    coverage: { terms: [], unknown: [], known: 1 },
    identifiers: [],
    identifiersIn: (part) => parts.identifiers.extract(part).map(({ id }) => id),
    layers: parts.layers,
    vocabulary: parts.vocabulary,
    premises: null,
    state: null,
    path: null,
    answers,
    report: signalsFrom([], answers, planNli(query, [], answers, 0), []),
  };
}

async function embedOne(
  scorers: Scorers,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const [vector] = await scorers.embed([text], { signal });
  return vector!;
}

function withDeadline(budget: Budget, deadlineMs: number | undefined): Budget {
  if (deadlineMs === undefined) return budget;
  return { ...budget, ms: Math.min(deadlineMs, budget.ms ?? Number.POSITIVE_INFINITY) };
}

function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

function aborted(cause: unknown): PragauraError {
  return PragauraError.isInstance(cause) && cause.code === 'ABORTED'
    ? cause
    : new PragauraError('ABORTED', 'The query was cancelled.', { cause });
}
