import { PragauraError } from '../../errors.ts';
import type { Thresholds } from '../../router/index.ts';
import type { Observation } from '../types.ts';
import type { Evaluation, Promised } from './types.ts';

/** An order in which queries could be answered: the lower, the sooner; null: last. Finite. */
export interface Ranker {
  name: string;
  about: string;
  uncertainty(observation: Observation): number | null;
}

export interface EvaluationOptions {
  /** Hash of the artifact of `thresholds`. */
  hash?: string | null;
  promised?: Promised | null;
  /** When an answer is wrong. Default: EM. */
  rule?: { kind: 'em' } | { kind: 'f1'; least: string };
  /** Further orders beside the router's own. */
  rankers?: readonly Ranker[];
  /** Shares answered at which selective EM and F1 are reported. Default .5, .6, … 1. */
  coverages?: readonly number[];
  /** Bootstrap. Defaults 1,000, 1, .95. */
  resamples?: number;
  seed?: number;
  level?: number;
  /** Bins of equal mass of the calibration error. Default 15. */
  bins?: number;
}

/** Every figure of an evaluation. `thresholds` null: the provisional rule. Pure. */
export function evaluateObservations(
  _observations: readonly Observation[],
  _thresholds: Thresholds | null,
  _options: EvaluationOptions = {},
): Evaluation {
  throw new PragauraError('INTERNAL', 'Not written yet.');
}
