/** What is known of a query when the decision about it is made. */

import type { InformationState } from '../../conversation/index.ts';
import type { Answers, SignalReport } from '../../scorers/index.ts';
import type { Plan, Query } from '../contracts.ts';
import type { PathScore } from '../graph/types.ts';
import type { LayerSettings, PremiseVerdict, Retrieved } from '../layers/index.ts';
import type { SampledOpinion } from '../sampler.ts';
/** What is looked at before any cross-encoder has run. */
export interface Found extends Retrieved {
  layers: LayerSettings;
}

/** Everything that is known of a query when the decision is made. */
export interface DecisionInput extends Found {
  answers: Answers;
  report: SignalReport;
  /** What the entailment model said of what the question takes for granted; null where it was not asked. */
  premises: readonly PremiseVerdict[] | null;
  /** Null for what was refused before retrieval. */
  state: InformationState | null;
  /** Turns before the query, oldest first. */
  history: readonly NonNullable<Query['history']>[number][];
  /** Null without a graph. */
  path: PathScore | null;
  /** What the planner that is open makes of the query; absent or null without one. */
  planned?: Plan['probabilities'] | null;
  /**
   * Passage that explains what is asked about whatever its relevance: the entry of a name, or one of two things that are
   * compared where the documents explain both; null or absent: none does.
   */
  explaining?: string | null;
  /** Absent without a sampler. */
  opinion?: SampledOpinion;
  /** True when the caller's deadline passed before every stage had run. */
  deadlineExceeded?: boolean;
  /** True when the index could not be searched, or not all of it. */
  indexUnavailable?: boolean;
}
