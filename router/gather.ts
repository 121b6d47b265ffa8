/** From a query to what its decision is made on: passages, readings, comparisons, state. */
import { setImmediate as turn } from 'node:timers/promises';
import { allocate } from '../profiles/index.ts';
import { chooseAnswer, planNli, signalsFrom } from '../scorers/index.ts';
import { repliedTo } from './clarify/index.ts';
import type { Query } from './contracts.ts';
import {
  claimPairs,
  claimVerdicts,
  type Outcome,
  planningFeatures,
  precheck,
  type Thresholds,
} from './decision/index.ts';
import { evidenceFor, type Judged, readable } from './evidence.ts';
import type { KnowledgeGraph } from './graph/index.ts';
import {
  aboutNamed,
  inCorpusSpelling,
  planPremises,
  premisesFrom,
  withoutInstructions,
} from './layers/index.ts';
import { type Candidate, selected, withRead } from './retrieval/index.ts';
import { informationState, type Requirement, takeReply } from './state/index.ts';
import { bestQuestion } from './told.ts';
import type { Run, Trail } from './trail.ts';

/** Pairs that may go to what a question takes for granted, and to what only planning asks: more where a user told something. */
const PREMISES = 2;
const CLAIMS = { alone: 1, told: 6 };
/** Passages whose vectors are compared for the state's cosine form of conflict. */
const COMPARED = 4;

/**
 * Fills the trail, stage by stage, under the ledger. Gives an outcome when a gate closes before the models run. `filters`
 * and the vector are the query's.
 */
export async function gather(
  run: Run,
  trail: Trail,
  vector: Float32Array,
  filters: Query['filters'],
  thresholds: Thresholds,
): Promise<Outcome | null> {
  const { parts, ledger, watch, signal } = run;
  const { identifiers, retrieval, index, layers } = parts;
  const named = identifiers
    .extract(trail.query)
    .map((each) => ({ ...each, known: identifiers.has(each.id) }));
  const known = named.filter((each) => each.known);
  const text = inCorpusSpelling(trail.query, known);
  const allocation = allocate(parts.profiles, trail.act, parts.policy, parts.share);
  trail.allocation = allocation;

  trail.retrieved = await watch.time('retrieve', () =>
    retrieval.retrieve({ query: text, vector, filters, allocation, ledger, signal }),
  );
  const passageOf = ({ ordinal }: Candidate) => index.passages[ordinal]!;
  const { kept, suspects } = withoutInstructions(trail.retrieved.candidates, passageOf, layers);
  trail.suspects = suspects;
  trail.judged = kept.map((candidate) => ({ candidate, early: null, relevance: null, reading: null }));
  trail.evidence = evidenceFor(index, trail.judged);
  trail.coverage = retrieval.coverage(text);
  trail.identifiers = named.map((each) => ({
    id: each.id,
    known: each.known,
    // What the filters keep from the asker is not to be suggested either.
    near: each.known || filters !== undefined ? [] : identifiers.nearest(each.id, 3),
  }));
  const refused = precheck(trail, thresholds);
  if (refused === null) {
    // Other records of the kind that the query names are no evidence, for or against.
    const wanted = layers.identifierInEvidence.on ? known.map(({ id }) => id) : [];
    const candidates = aboutNamed(kept, passageOf, wanted, trail.identifiersIn);
    const judging = watch.time('judge', () => judge(run, text, candidates, trail));
    // Once the models have their work this thread is idle: the tagger remembers what the state will ask it.
    const tagged = turn().then(() => parts.tagger(trail.query));
    [trail.judged] = await Promise.all([judging, tagged]);
    trail.evidence = evidenceFor(index, trail.judged);
    await watch.time('nli', () => compare(run, text, trail));
    trail.evidence = evidenceFor(index, trail.judged, trail.report);
  }
  await watch.time('state', () => observe(run, trail));
  trail.question = await watch.time('question', () => bestQuestion(trail));
  await watch.time('features', () => {
    trail.planning = planningFeatures({ ...trail, rewrite: run.asked.rewrite });
  });
  return refused;
}

/** All candidates; relevance and reading of the best, as far as pairs and context tokens were granted. */
async function judge(
  { parts: { index, scorers }, ledger, signal }: Run,
  query: string,
  candidates: readonly Candidate[],
  { allocation }: Trail,
): Promise<Judged[]> {
  const lease = ledger.lease('judge', {
    rerankPairs: allocation!.rerankDepth,
    contextTokens: allocation!.contextTokens,
  });
  const selection = await selected(index, query, candidates, lease, scorers, signal);
  const pairs = selection.chosen.map(({ pair }) => pair);
  // Asked for together, so that one pass of a model that has both heads serves both.
  const [relevances, readings] = await Promise.all([
    scorers.rerank(pairs, { signal }),
    scorers.read(pairs, { signal }),
  ]);
  lease.close();
  return withRead(candidates, selection, (place) => ({
    relevance: relevances[place] ?? null,
    reading: readings[place] ?? null,
  }));
}

/** What the entailment model says of the answers and of what the question takes for granted, out of one lease. */
async function compare({ parts, ledger, signal }: Run, query: string, trail: Trail): Promise<void> {
  const passages = readable(parts.index, trail.judged);
  trail.answers = chooseAnswer(query, passages);
  const lease = ledger.lease('nli', { nliPairs: trail.allocation!.nliPairs });
  const limit = lease.granted.nliPairs;
  const taken = planPremises(query, passages, Math.min(PREMISES, limit), trail.layers);
  const most = trail.history.length === 0 ? CLAIMS.alone : CLAIMS.told;
  const claims = claimPairs(trail, Math.min(most, limit - taken.length));
  const plan = planNli(query, passages, trail.answers, limit - taken.length - claims.length);
  const own = plan.pairs.length;
  const pairs = [...plan.pairs, ...taken, ...claims].map(({ premise, hypothesis }) => ({
    premise,
    hypothesis,
  }));
  lease.spend('nliPairs', pairs.length);
  const scores = await parts.scorers.nli(pairs, { signal });
  lease.close();
  trail.report = signalsFrom(passages, trail.answers, plan, scores.slice(0, own));
  trail.premises = premisesFrom(taken, scores.slice(own, own + taken.length));
  trail.claims = claimVerdicts(claims, scores.slice(own + taken.length));
}

/** The information state over all that was found, and the path score of the graph. */
function observe({ parts, asked }: Run, trail: Trail): void {
  const { index, graph, tagger } = parts;
  const ordinals = new Map(
    trail.judged.map(({ candidate: { ordinal } }) => [index.passages[ordinal]!.passageId, ordinal]),
  );
  const vectors = trail.evidence.slice(0, COMPARED).flatMap(({ passageId }) => {
    const at = (ordinals.get(passageId) ?? -1) * index.dimension;
    return at < 0 || index.vectors.length === 0 ? [] : [index.vectors.subarray(at, at + index.dimension)];
  });
  const { replies } = asked;
  const required = requiredBy(graph, trail, replies.length > 0);
  const given = { ...trail, history: [...trail.history], vectors, required, replies };
  let state = informationState(given, tagger);
  for (const reply of replies) state = takeReply(state, reply);
  trail.state = state;
  trail.path = graph?.pathScore(trail.query) ?? null;
}

/** What the graph says that the query needs, without what the user was asked for on the way to it and has replied to. */
function requiredBy(
  graph: KnowledgeGraph | null,
  { query, history }: Trail,
  replied: boolean,
): Requirement[] {
  const required = graph?.requirementsOf(query) ?? [];
  // Most queries need nothing, and the history takes a while to read.
  if (required.length === 0) return [];
  const asked = repliedTo(query, history, replied);
  return required.filter(({ variable }) => !asked.has(variable));
}
