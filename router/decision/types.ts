import type { Act, ActDistribution } from '../../profiles/index.ts';
import type { Answers, SignalReport } from '../../scorers/signals/index.ts';
import type { Action, Decision, Evidence, Reason, Refusal, Signals } from '../contracts.ts';
import type { TermCoverage } from '../retrieval/types.ts';

/** An identifier that the query names. `near`: identifiers of the corpus that may have been meant, nearest first. */
export interface IdentifierFinding {
  id: string;
  known: boolean;
  near: readonly string[];
}

/** Weights of the signals in U, non-negative, summing to one. */
export interface Weights {
  alpha: number;
  beta: number;
  gamma: number;
}

/**
 * Where the bar is. A calibration artifact is one implementation of this, the provisional rule another.
 * `tauFor`: the largest U in [0, 1] that is answered for this (predicted) act; null means that the act could not be
 * calibrated at the level asked for, and then nothing is answered.
 */
export interface Thresholds {
  readonly status: Decision['guarantee']['status'];
  readonly weights: Weights;
  tauFor(act: Act): number | null;
  /** What is promised for this act, in words. */
  sentence(act: Act): string;
}

/** What the gates look at before any cross-encoder has run. */
export interface Found {
  query: string;
  act: ActDistribution;
  /** Best first, as fused. Scores of stages that have not run are null. */
  evidence: readonly Evidence[];
  coverage: TermCoverage;
  identifiers: readonly IdentifierFinding[];
}

/** Everything that is known of a query when the decision is made. */
export interface DecisionInput extends Found {
  answers: Answers;
  report: SignalReport;
  /** True when the caller's deadline passed before every stage had run. */
  deadlineExceeded?: boolean;
}

/** The part of a decision that this room makes; the pipeline adds evidence, receipt, timings and versions. */
export interface Outcome {
  action: Action;
  answer?: NonNullable<Decision['answer']>;
  clarification?: Refusal;
  abstention?: Refusal;
  signals: Signals;
  U: number | null;
  tau: number | null;
  guarantee: Decision['guarantee'];
}

/** What a gate says when it closes. `recoverable`: one missing piece from the user would open it. */
export interface GateRefusal {
  reason: Reason;
  message: string;
  suggestions: string[];
  recoverable: boolean;
}
