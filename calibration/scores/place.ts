import { scoreOf, silenceOf, type UncertaintyScore } from '../../router/index.ts';
import type { Observation } from '../types.ts';

/**
 * Where a score puts an observation in the order of answering: U in [0, 1], 0 for a definition of the vocabulary, which
 * is answered under every threshold; null, after all others: a gate is closed, nothing was scored, or the query could
 * not be decided. Pure. Throws what `scoreOf` throws.
 */
export function placeOf(score: UncertaintyScore, observation: Observation): number | null {
  const { error, act, closed, candidate, defined, features } = observation;
  if (error !== null || act === null || closed !== null || candidate === null) return null;
  if (defined === true) return 0;
  return features === null ? null : scoreOf(score, features, observation);
}

/** Where it lies for the bar between asking and silence: `silenceOf`, but null and for a definition as `placeOf` has it. */
export function silencePlaceOf(score: UncertaintyScore, observation: Observation): number | null {
  const place = placeOf(score, observation);
  const { defined, features } = observation;
  return place === null || defined === true || features === null
    ? place
    : silenceOf(score, features, observation);
}
