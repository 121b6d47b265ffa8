import type { Reading, Relevance, Span } from '../types.ts';

/** A candidate passage as the scorers left it. Plain data, so that this room knows nothing of an index. */
export interface ScoredPassage {
  /** Unique among the passages of one query. */
  key: string;
  /** Passages of one document are one source. */
  docId: string;
  /** Title and headings; part of the premise, because a passage often names its subject only there. */
  title: string;
  /** The very text that was read: spans are UTF-16 offsets into it. */
  text: string;
  /** Retrieval branches that found the passage. */
  branches: readonly string[];
  /** Null where the stage did not look at the passage. */
  relevance: Relevance | null;
  reading: Reading | null;
}

/** One independent source's best span for one answer. `score` in [0, 1], see `answerScore`. */
export interface Voice {
  key: string;
  docId: string;
  /** Number of the independent source, the same for near-duplicates and for passages of one document. */
  source: number;
  span: Span;
  /** How far the span lies above the passage's next one, in logits; null when there is no other. */
  spanLead: number | null;
  score: number;
}

/** Spans that say the same thing. `voices`: one a source, best first; never empty. */
export interface AnswerCluster {
  /** Span text of the best voice. */
  text: string;
  /** The question with this answer as a statement. */
  claim: string;
  /** Best voice's score: copies and further voices do not raise it. */
  score: number;
  voices: readonly Voice[];
  /** Branches that found a passage with this answer. */
  branches: readonly string[];
}

/** What one passage answers, on its own. `cluster`: index into `Answers.clusters`. */
export interface PassageAnswer {
  cluster: number;
  score: number;
  span: Span;
}

/** What the readings say. `clusters` best first, empty when no passage had a readable span. */
export interface Answers {
  clusters: readonly AnswerCluster[];
  /** By passage key; only passages that were read and hold a span. */
  byPassage: ReadonlyMap<string, PassageAnswer>;
  /** Number of the source of each passage, by key. */
  sourceOf: ReadonlyMap<string, number>;
  /** Independent sources among the passages that were read. */
  sources: number;
  /** Passages that repeat another one or its document and therefore are no voice of their own. */
  duplicatesRemoved: number;
}

/** A pair for the entailment model. `cluster`: the answer whose claim is the hypothesis; 0 is the chosen one. */
export interface PlannedPair {
  premise: string;
  hypothesis: string;
  key: string;
  source: number;
  cluster: number;
}

/** `pairs` best first. `denied`: pairs that were wanted beyond the limit. `offTopic`: pairs kept out by the gate. */
export interface NliPlan {
  pairs: readonly PlannedPair[];
  denied: number;
  offTopic: number;
}

/** What the entailment model said of one source about the chosen claim. */
export interface SourceVerdict {
  key: string;
  source: number;
  entailment: number;
  contradiction: number;
  stance: 'supports' | 'contradicts' | 'neutral';
}

/** An answer other than the chosen one that its own source entails. */
export interface RivalAnswer {
  cluster: number;
  text: string;
  claim: string;
  key: string;
  score: number;
  entailment: number;
  /** Its passage surely answers the question, see `surelyAnswers`. */
  sure: boolean;
}

export interface SignalCounts {
  branchAnswers: number;
  distinctAnswers: number;
  duplicatesRemoved: number;
  independentSources: number;
  offTopicPairs: number;
  pairsScored: number;
  pairsDenied: number;
  truncatedTokens: number;
}

/** D, C and E in [0, 1]; null where nothing could be scored, never 0. */
export interface SignalReport {
  D: number | null;
  C: number | null;
  E: number | null;
  counts: SignalCounts;
  /** One a source that was scored, in the order of the plan. */
  verdicts: readonly SourceVerdict[];
  /** Best first. */
  rivals: readonly RivalAnswer[];
}
