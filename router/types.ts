import type { Allocation, BranchName, Budget } from '../profiles/index.ts';
import type { Job, Provider } from '../scorers/index.ts';
import type { Decision, Query } from './contracts.ts';
import type { Thresholds } from './decision/index.ts';

export type Policy = 'act' | 'uniform';

/** Thresholds with the hash of the artifact that they came from. */
export interface CalibratedThresholds extends Thresholds {
  readonly hash: string;
}

export interface RouterOptions {
  /** Index folder written by `pragaura index`. */
  index: string;
  /** Where the bar is, from a calibration artifact; without it every decision says NOT_CALIBRATED. */
  thresholds?: CalibratedThresholds;
  /** Folder of profiles that replaces the package's own. */
  profiles?: string;
  /** `act` (default): the allocation follows the speech act; `uniform`: the baseline, the same for every query. */
  policy?: Policy;
  /** Overrides of the default budget. */
  budget?: Partial<Budget>;
  threads?: number;
  provider?: Provider;
  models?: Partial<Record<Job, string>>;
  modelsDir?: string;
  /** Told of a provider fallback and the like. */
  announce?: (message: string) => void;
}

export interface RouteOptions {
  signal?: AbortSignal;
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
  /** The best extractive answer, whether or not the decision gives it; null when no passage held one. */
  candidate: { text: string; score: number } | null;
}

/** Routes queries over one opened index. Safe to call concurrently; decisions do not depend on what runs beside. */
export interface Router {
  readonly versions: Decision['versions'];
  /** Throws ABORTED when `options.signal` fires; every other failure of one query is thrown typed. */
  route(query: Query, options?: RouteOptions): Promise<Decision>;
  explain(query: Query, options?: RouteOptions): Promise<Explanation>;
  close(): Promise<void>;
}
