/** What the pipeline would have found, from passages with the answers that a reader would take from them. */

import type { Evidence } from '../../../corpus/index.ts';
import {
  chooseAnswer,
  planNli,
  type ScoredPassage,
  type SignalReport,
  signalsFrom,
} from '../../../scorers/index.ts';
import type { StateInput } from '../index.ts';

export interface Fact {
  text: string;
  /** A stretch of `text`; null: the passage was not read. */
  answer: string | null;
  title?: string;
  docId?: string;
  relevance?: number;
  margin?: number;
}

type Scores = { entailment: number; neutral: number; contradiction: number };
export type Judge = (premise: string, hypothesis: string) => Scores;

const neutral: Judge = () => ({ entailment: 0.1, neutral: 0.8, contradiction: 0.1 });

export function found(
  query: string,
  facts: readonly Fact[] = [],
  given: Partial<StateInput> = {},
  judge: Judge = neutral,
): StateInput {
  const passages = facts.map(scoredPassage);
  const answers = chooseAnswer(query, passages);
  const plan = planNli(query, passages, answers, 20);
  const scores = plan.pairs.map(({ premise, hypothesis }) => ({
    ...judge(premise, hypothesis),
    tokens: 1,
    truncatedTokens: 0,
  }));
  const report: SignalReport = signalsFrom(passages, answers, plan, scores);
  return {
    query,
    evidence: facts.map((fact, i) => evidenceOf(fact, i)),
    coverage: { terms: [], unknown: [] },
    identifiers: [],
    answers,
    report,
    ...given,
  };
}

function scoredPassage(
  { text, answer, title = '', docId, relevance = 0.9, margin = 12 }: Fact,
  i: number,
): ScoredPassage {
  const start = answer === null ? -1 : text.indexOf(answer);
  if (answer !== null && start < 0) throw new Error(`"${answer}" is not in "${text}"`);
  return {
    key: `p${i}`,
    docId: docId ?? `doc${i}`,
    title,
    text,
    branches: [i % 2 === 0 ? 'lexical' : 'dense'],
    relevance:
      answer === null
        ? null
        : {
            score: relevance,
            logit: Math.log(relevance / (1 - relevance)),
            tokens: 1,
            truncatedTokens: 0,
          },
    reading:
      answer === null
        ? null
        : {
            best: { text: answer, start, end: start + answer.length, score: 5 },
            alternatives: [],
            lead: null,
            noAnswer: 5 - margin,
            margin,
            tokens: 1,
            truncatedTokens: 0,
          },
  };
}

function evidenceOf(
  { text, answer, title = '', docId, relevance = 0.9, margin = 12 }: Fact,
  i: number,
): Evidence {
  return {
    docId: docId ?? `doc${i}`,
    passageId: `p${i}`,
    start: 0,
    end: text.length,
    text,
    title,
    genre: 'narrative',
    source: `${docId ?? `doc${i}`}.md`,
    position: `${i + 1}:1`,
    branches: ['lexical'],
    scores: {
      lexical: 5,
      dense: 0.5,
      fused: 0.5,
      relevance: answer === null ? null : relevance,
      margin: answer === null ? null : margin,
      entailment: null,
      contradiction: null,
    },
  };
}
