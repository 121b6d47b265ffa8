/** From candidates to what the signals read and what a decision shows. */

import type { Passage } from '../corpus/index.ts';
import type { Reading, ScoredPassage, SignalReport } from '../scorers/index.ts';
import type { Evidence } from './contracts.ts';
import { type Reranked, rerankedOrder } from './retrieval/index.ts';

/** A candidate with all that the reader made of it; null where it was not asked. */
export interface Judged extends Reranked {
  reading: Reading | null;
}

/** Passages that a decision shows; the reader saw more. */
const SHOWN = 5;

/** The candidates that were judged, as the signals want them; a passage's key is its id. */
export function readable(judged: readonly Judged[]): ScoredPassage[] {
  return judged
    .filter(({ reading }) => reading !== null)
    .map(({ candidate, relevance, reading }) => {
      const { passage } = candidate.indexed;
      return {
        key: passage.passageId,
        docId: passage.docId,
        title: passage.title,
        text: passage.text,
        branches: Object.keys(candidate.branchScores),
        relevance,
        reading,
      };
    });
}

/** All candidates as evidence, in the order after the cross-encoder; what was not judged comes last, as fused. */
export function evidenceFor(judged: readonly Judged[], report?: SignalReport): Evidence[] {
  const verdicts = new Map(report?.verdicts.map((verdict) => [verdict.key, verdict]));
  return rerankedOrder(judged).map(({ candidate, relevance, reading }) => {
    const { passage } = candidate.indexed;
    const verdict = verdicts.get(passage.passageId);
    return {
      ...passage,
      branches: Object.keys(candidate.branchScores) as Evidence['branches'],
      scores: {
        lexical: candidate.branchScores.lexical ?? null,
        dense: candidate.branchScores.dense ?? null,
        fused: candidate.fused,
        relevance: relevance?.score ?? null,
        margin: reading?.margin ?? null,
        entailment: verdict?.entailment ?? null,
        contradiction: verdict?.contradiction ?? null,
      },
    };
  });
}

/** The first few; what an answer quotes before all others, and all of it. */
export function evidenceShown(evidence: readonly Evidence[], quoted: readonly Evidence[]): Evidence[] {
  const ids = new Set(quoted.map(({ passageId }) => passageId));
  const rest = evidence.filter(({ passageId }) => !ids.has(passageId));
  return [...quoted, ...rest].slice(0, Math.max(SHOWN, quoted.length));
}

/** A passage that nobody retrieved or scored. */
export function evidenceOf(passage: Passage): Evidence {
  const scores = {
    lexical: null,
    dense: null,
    fused: 0,
    relevance: null,
    margin: null,
    entailment: null,
    contradiction: null,
  };
  return { ...passage, branches: [], scores };
}
