import type { HabitsOptions, NamedBefore } from '../conversation/index.ts';
import type { DocumentEntry, Health, Passage, Readable } from '../corpus/index.ts';
import type { ActDistribution, Allocation, BranchName, Budget } from '../profiles/index.ts';
import type { Job, Provider, Scorers } from '../scorers/index.ts';
import type { Composed } from './answer/index.ts';
import type { Decision, Plan, Query, Reason, StageReport, Utilities } from './contracts.ts';
import type {
  DecisionInput,
  Features,
  HardGateSettings,
  PlannerFeatures,
  Thresholds,
} from './decision/index.ts';
import type { Stage } from './retrieval/index.ts';
import type { Sampler, SamplerSettings } from './sampler.ts';
import type { VocabularyOptions } from './vocabulary/index.ts';

export type Policy = 'act' | 'uniform';

/**
 * What has the last word where no gate has it: U against tau, a planner file, the paper's hard gate, or the plain rule that
 * a passage more relevant than not is the answer.
 */
export const DECIDERS = ['thresholds', 'planner', 'hard-gate', 'relevance'] as const;
export type Decider = (typeof DECIDERS)[number];

/** What a calibration was made with, and holds for: nothing else. */
export interface ValidFor extends Omit<Decision['versions'], 'calibration'> {
  policy: Policy;
  budget: Budget;
  decider: Decider;
  /** Null where no planner decides. */
  utilities: Utilities | null;
  /** Null where no language model is asked. */
  sampler: SamplerSettings | null;
}

/** Thresholds with the hash of the artifact that they came from, and what they hold for. */
export interface CalibratedThresholds extends Thresholds {
  readonly hash: string;
  readonly validFor: ValidFor;
}

export interface RouterOptions {
  /** Index folder written by `pragaura index`; with `backend` its name there. */
  index: string;
  /** Engine that holds the index: "opensearch=http://localhost:9200" (further nodes behind commas), "pgvector=postgres://localhost/docs". Default: none, the index is a folder. */
  backend?: string;
  /** A generation of the index that is kept: its name, the beginning of its hash, or when it was the index. Default: the current one. */
  asOf?: string;
  /** Documents that this says no to do not exist for this router: see `openView`. Default: all may be read. */
  readable?: Readable;
  /** Where the bar is, from a calibration artifact; without it every decision says NOT_CALIBRATED. */
  thresholds?: CalibratedThresholds;
  /** Folder of profiles that replaces the package's own. */
  profiles?: string;
  /** `act` (default): the allocation follows the speech act; `uniform`: the baseline, the same for every query. */
  policy?: Policy;
  /** Overrides of the default budget. */
  budget?: Partial<Budget>;
  /** A vocabulary that is consulted first, SKOS or a table: its files, or these with languages and limits. */
  vocabulary?: string[] | VocabularyOptions;
  /** Switches and limits of the layers; what is left out is as by default. Checked when the router is opened. */
  layers?: unknown;
  /** The rule where no thresholds are given: `general` (default), or `provisional`, about spans alone, for measurements of these. */
  rule?: 'general' | 'provisional';
  /**
   * In [0, 1]: how much a wrong answer costs the general rule beside a right one, nothing at 0, as much
   * at .5, four times as much at 1. Of no other rule and beside no calibration.
   */
  cautious?: number;
  /** Learned defaults; without it none is applied. */
  defaults?: HabitsOptions;
  /** Default `thresholds`. */
  decider?: Decider;
  /** A planner file; default the shipped one. */
  planner?: string;
  /** What the planner weighs; default those of its file. */
  utilities?: Utilities;
  /**
   * How often each action is right among the queries to come, where a planner decides: shares that sum to one, or a file of
   * its decisions that they are estimated from. Default: as where it was fitted.
   */
  prior?: Plan['probabilities'] | { decisions: string };
  /** Thresholds of the paper's hard gate where that decides; those left out are the paper's. */
  hardGate?: Partial<HardGateSettings>;
  /** Asked where U has a word, before it is made: a learned score can look at what it finds. The router does not close it. */
  sampler?: Sampler;
  threads?: number;
  provider?: Provider;
  models?: Partial<Record<Job, string>>;
  modelsDir?: string;
  /** A pool that is already open, shared with others; the router does not close it. Replaces the four options above. */
  scorers?: Scorers;
  /** For experiments: what is made of the classifier's reading of a query. */
  relabel?: (query: string, act: ActDistribution) => ActDistribution;
  /** Told of a provider fallback and the like. */
  announce?: (message: string) => void;
}

export interface RouteOptions {
  signal?: AbortSignal;
  /** Whose learned defaults; default the router's tenant. */
  tenant?: string;
  /** What whoever asks, and others, named before: defaults are first proposed from it. */
  named?: NamedBefore;
  /** Told of each stage as it finishes; must not throw, and changes nothing. */
  observe?: (report: StageReport) => void;
  /**
   * For measurements: what would be shown is made too, whatever is decided, and on top of the budget. `free`: as the
   * general rule shows it; `bound`: as for a span of which a calibration promises something, and no passage.
   */
  compose?: 'free' | 'bound';
}

/** A passage with its score at one stage. */
export interface RankedEvidence extends Passage {
  score: number;
}

/** A decision with everything that led to it. */
export interface Explanation {
  decision: Decision;
  policy: Policy;
  /** Which acts' profiles were blended, with their weights. */
  blendedFrom: Allocation['blendedFrom'];
  branches: { name: BranchName; hits: { passageId: string; score: number }[] }[];
  /** What the reader saw, in fused order. */
  candidates: {
    passageId: string;
    docId: string;
    fused: number;
    relevance: number | null;
    reading: string | null;
    margin: number | null;
  }[];
  /** What the reader saw, in the order after re-ranking. */
  ranking: { docId: string; passageId: string }[];
  /** The best extractive answer, whether or not the decision gives it; null when no passage held one. `passage`: its text. */
  candidate: {
    text: string;
    claim: string;
    score: number;
    docId: string;
    passageId: string;
    passage: string;
  } | null;
  /** Null unless `RouteOptions.compose` asks for it, and where nothing was read. */
  composed: Composed | null;
  /** The gate that closes whatever tau is; null when U against tau decides. */
  closed: Reason | null;
  features: Features;
  /** The same whoever decides, so that one measurement serves any planner; null where nothing was retrieved. */
  planning: PlannerFeatures | null;
  /** What the decision was made of, for those who measure other deciders. In memory only. */
  input: DecisionInput | null;
}

/** Routes queries over one opened index. Safe to call concurrently; decisions do not depend on what runs beside. */
export interface Router {
  readonly versions: Decision['versions'];
  /** Above 0: vectors of the index are still being made, it is searched by words alone, and every decision says so. */
  readonly pending: number;
  /** What thresholds fitted on this router's decisions hold for. */
  readonly validFor: ValidFor;
  /** Of the general rule; null where another one decides. */
  readonly cautious: number | null;
  /** What is indexed, in the order of ids. */
  readonly documents: readonly DocumentEntry[];
  /** The passages of one of these, in the order of its text. */
  passagesOf(document: DocumentEntry): Promise<readonly Passage[]>;
  /** Throws ABORTED when `options.signal` fires; every other failure of one query is thrown typed. */
  route(query: Query, options?: RouteOptions): Promise<Decision>;
  explain(query: Query, options?: RouteOptions): Promise<Explanation>;
  /** The speech act of a query, by its words and its meaning. Throws as `route` does. */
  classify(query: string, signal?: AbortSignal): Promise<ActDistribution>;
  /**
   * The passages of one branch, of all fused, or these re-ranked: best first, `k` at most. Scores are those of `rankStage`.
   * Throws as `route` does.
   */
  rank(
    stage: Stage,
    query: Pick<Query, 'query' | 'filters'>,
    k: number,
    signal?: AbortSignal,
  ): Promise<RankedEvidence[]>;
  /**
   * How whatever holds the index is, and whether the router is at the generation that the index's name means now; one that goes
   * on serving has to be opened again where it is not. Throws BACKEND_UNAVAILABLE where an engine does not answer.
   */
  health(): Promise<Health>;
  /** The abstention of a query whose deadline has passed. Computes nothing but the act, from the words. */
  expired(query: Query): Decision;
  close(): Promise<void>;
}
