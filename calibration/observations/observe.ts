import type { Decision, Router, RouterOptions } from '../../router/index.ts';
import type { Example, Observation } from '../types.ts';

export interface ObserveOptions extends Omit<RouterOptions, 'thresholds'> {
  /** Folder in which observations are kept between runs. */
  cache: string;
  /** Told in words what was found in the cache and how far the measuring is. */
  say: (line: string) => void;
  /** Aborted: what is in flight is finished and kept, then ABORTED is thrown. */
  signal?: AbortSignal;
  /** Queries in flight at most. Default 8. */
  inFlight?: number;
  /** Names what `relabel` does, because observations depend on it: needed with it. */
  variant?: string;
}

export interface ObserveStats {
  fromCache: number;
  measured: number;
  /** Observations with an `error`. */
  failed: number;
  /** Wall time of the measuring, models loaded. */
  seconds: number;
  /** Seconds that the measured queries spent in each stage, waiting for a free thread included, summed over queries. */
  secondsByStage: Record<string, number>;
  /** Share of these seconds in the stages that run models (embed, judge, nli), in [0, 1]; null when none was measured. */
  modelShare: number | null;
}

export interface Observed {
  /** One for each example, in their order. */
  observations: Observation[];
  stats: ObserveStats;
  versions: Decision['versions'];
  /** What thresholds fitted on these observations hold for. */
  validFor: Router['validFor'];
}

/** Measures every example, from the cache where it was measured before. */
export async function observe(examples: readonly Example[], options: ObserveOptions): Promise<Observed> {
  throw new Error(`${examples.length} ${options.cache}`);
}

/** Measures one example with a router that is open, past any cache. A query that fails is an observation with `error`. */
export async function observeWith(
  router: Pick<Router, 'explain'>,
  example: Example,
  options?: { key?: string; signal?: AbortSignal },
): Promise<Observation> {
  throw new Error(`${router} ${example.id} ${options}`);
}
