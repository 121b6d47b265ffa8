import type { Act } from '../../profiles/index.ts';
import type { Place, SpanAnswer } from '../answer/index.ts';
import type { Action, Decision, Evidence, Plan, Reason, Refusal, Signals } from '../contracts.ts';
import type { LayerRecord } from '../layers/index.ts';
import type { FeatureName } from './features.ts';
import type { UncertaintyScore } from './score.ts';

/** Where the gates close; the layers have limits of their own, see `LayerSettings`. Absolute: none is traded for another. */
export interface Limits {
  /** Longest query in UTF-16 units. */
  queryChars: number;
  /** Least E for a yes-or-no question. */
  verification: number;
}

/**
 * Where the bar is. A calibration artifact is one implementation of this, the provisional rule another.
 * `tauFor`: the largest U in [0, 1] that is answered for this (predicted) act; 0 is a threshold like any other. Null
 * means that the act could not be calibrated at the level asked for, and then nothing is answered.
 */
export interface Thresholds {
  readonly status: Decision['guarantee']['status'];
  /** What U is. */
  readonly score: UncertaintyScore;
  readonly limits: Limits;
  tauFor(act: Act): number | null;
  /**
   * When a passage is answer enough where its span is not: the score is of the passage (1 - P(it answers)), with bars of
   * its own. Absent: never, as where a promise is about spans.
   */
  readonly passages?: {
    readonly score: UncertaintyScore;
    tauFor(act: Act): number | null;
    /** The largest U of a span that goes before a passage that is answer enough; absent: its tau. */
    spanFor?(act: Act): number;
    /** Whether what explains a name, or each of two things that are compared, is shown where nothing answers surely. */
    readonly explains?: boolean;
  };
  /**
   * The largest U that is worth a question back where it is not answered (above tau, or without one); above it the
   * router abstains. Absent or null: no such band was calibrated, and whether to ask depends on the reason alone
   * (without tau: never).
   */
  askUpTo?(act: Act): number | null;
  /** What is promised for this act, in words. */
  sentence(act: Act): string;
}

/** The part of a decision that this room makes; the pipeline adds evidence, receipt, timings and versions. */
export interface Outcome {
  action: Action;
  answer?: SpanAnswer;
  /** Id of the passage that is answer enough where the span is not sure: then there is no `answer`. */
  passage?: string;
  /** What several places answer, each in its own way: all of it is shown. Then there is neither `answer` nor `passage`. */
  places?: readonly Place[];
  /** That passage is shown as it stands. */
  whole?: true;
  clarification?: Refusal;
  abstention?: Refusal;
  /** The gate that closed for the span whatever tau is, also where its passage is answer enough; null when U against tau decided. */
  gate: Reason | null;
  /** The vocabulary's definition of the term asked about, where that is the answer: evidence that no passage is. */
  definition?: Evidence;
  /** Every layer with what became of it; empty when a gate closed before any was asked. */
  layers: LayerRecord;
  /** What should be said beside the outcome. */
  caveats: string[];
  /** What the planner made of it; absent when none was asked. */
  plan?: Plan;
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

/** P(right) = sigma(intercept + sum of weight * (value - mean) / scale + shift of the act); `missing` in units of z. */
interface Probability<Name extends string> {
  intercept: number;
  inputs: readonly { feature: Name; mean: number; scale: number; weight: number; missing: number }[];
  /** None for acts that have no questions of their own, or are no better for one. */
  shifts: Partial<Record<Act, number>>;
}

/** What was fitted and measured on public sets, each of which was left out once. Written by `pragaura bench general`. */
export interface GeneralFit {
  /** By job, and how they were run. */
  models: Readonly<Record<string, string>>;
  arithmetic: string;
  sets: readonly string[];
  questions: number;
  /** Of the questions. */
  answerable: number;
  /** That a span is right, by its U with the provisional weights. */
  span: Probability<'U'>;
  /** Least probability of a span that is given in the place of a passage that is worth its risk too. */
  floor: number;
  /** That the passage that is shown is right. */
  passage: Probability<FeatureName>;
  /**
   * Means over the sets left out, by how cautious the rule is: shares of the questions that are answered, of the answers that
   * are wrong, of the answerable questions that are answered right, of the others that are answered.
   */
  measured: readonly {
    cautious: number;
    cost: number;
    answered: number;
    wrong: number;
    useful: number;
    inVain: number;
  }[];
}
