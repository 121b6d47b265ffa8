/** The record of a query: its decision, and everything that led to it. */

import { clarificationRequest, type SelfContained } from '../conversation/index.ts';
import type { Decision, Query } from './contracts.ts';
import { featuresOf, type Outcome } from './decision/index.ts';
import { evidenceShown, type Judged } from './evidence.ts';
import { parsedQuestion } from './parsed.ts';
import { rerankedOrder } from './retrieval/index.ts';
import type { Parts, Routing, Run, Trail } from './trail.ts';
import type { Explanation } from './types.ts';

/** LayerOutcome with every decision on an index without vectors. */
const WORDS_ALONE = 'Vectors are still being made: searched by words alone.';

const UNCHANGED: SelfContained = { text: '', changed: false, reasons: [], open: [] };

export function explanation(
  { parts, asked, ledger, watch, routed, defaults, votes, askedBefore }: Run,
  query: Query,
  { trail, outcome, told, answered, composed }: Routing,
): Explanation {
  const isPending = parts.index.manifest.pending !== undefined;
  const { text, changed, reasons, open } = asked.rewrite ?? UNCHANGED;
  const decision: Decision = {
    schema: 'pragaura.decision/4',
    id: query.id,
    query: query.query,
    ...(changed && { selfContained: { text, reasons, open } }),
    parsed: parsedQuestion(trail),
    ...(askedBefore !== null && { askedBefore }),
    ...(routed !== null && { routed }),
    ...(trail.stated !== null && { claim: trail.stated.text }),
    action: outcome.action,
    act: trail.act,
    ...(answered && { answer: answered.answer }),
    parts: [],
    evidence: evidenceShown(trail.evidence, answered?.quoted ?? []),
    ...(told.clarification && {
      clarification: {
        ...told.clarification,
        request: clarificationRequest(
          { ...told.clarification, question: told.question },
          told.proposed ?? null,
          { default: defaults.at(-1)?.default.id ?? null },
        ),
      },
    }),
    ...(told.abstention && { abstention: told.abstention }),
    state: trail.state,
    layers: outcome.layers,
    caveats: [...outcome.caveats, ...(isPending ? [WORDS_ALONE] : [])],
    defaults,
    votes,
    ...(trail.opinion && { opinion: trail.opinion }),
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
  return { decision, composed, ...ledTo(parts, trail, outcome) };
}

function ledTo(
  { policy }: Parts,
  trail: Trail,
  outcome: Outcome,
): Omit<Explanation, 'decision' | 'composed'> {
  const { candidates, byBranch } = trail.retrieved;
  const ids = new Map(candidates.map(({ ordinal, indexed }) => [ordinal, indexed.passage.passageId]));
  const best = trail.answers.clusters[0];
  const read = trail.judged.filter(({ reading }) => reading !== null);
  return {
    policy,
    blendedFrom: trail.allocation?.blendedFrom ?? [],
    branches: Object.entries(byBranch).map(([name, hits]) => ({
      name: name as keyof typeof byBranch,
      hits: hits.map(({ ordinal, score }) => ({ passageId: ids.get(ordinal)!, score })),
    })),
    candidates: read.map(({ candidate, relevance, reading }) => ({
      passageId: candidate.indexed.passage.passageId,
      docId: candidate.indexed.passage.docId,
      fused: candidate.fused,
      relevance: relevance?.score ?? null,
      reading: reading?.best?.text ?? null,
      margin: reading?.margin ?? null,
    })),
    ranking: rerankedOrder(read).map(({ candidate }) => {
      const { docId, passageId } = candidate.indexed.passage;
      return { docId, passageId };
    }),
    candidate: best === undefined ? null : candidateOf(read, best),
    closed: outcome.gate,
    features: featuresOf(trail),
    planning: trail.planning,
    input: trail.allocation === null ? null : trail,
  };
}

function candidateOf(
  read: readonly Judged[],
  { text, claim, score, voices }: Trail['answers']['clusters'][number],
): NonNullable<Explanation['candidate']> {
  const passage = read
    .map(({ candidate }) => candidate.indexed.passage)
    .find(({ passageId }) => passageId === voices[0]!.key)!;
  return { text, claim, score, docId: passage.docId, passageId: passage.passageId, passage: passage.text };
}
