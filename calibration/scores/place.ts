import { scoreOf, silenceOf, type UncertaintyScore } from '../../router/index.ts';
import type { Observation } from '../types.ts';

/**
 * Where its U puts an observation in the order of answering: U in [0, 1], 0 for a definition of the vocabulary, which is
 * answered under every threshold; null, after all others: a gate is closed, nothing was scored, or the query could not be
 * decided. Pure.
 */
export function placed(
  { error, act, closed, candidate, defined }: Observation,
  U: number | null,
): number | null {
  if (error !== null || act === null || closed !== null || candidate === null) return null;
  return defined === true ? 0 : U;
}

/** Where a score puts an observation, see `placed`. Throws what `scoreOf` throws. */
export function placeOf(score: UncertaintyScore, observation: Observation): number | null {
  const { features } = observation;
  return placed(observation, features === null ? null : scoreOf(score, features, observation));
}

/**
 * Where an observation with this place lies for the bar between asking and silence: only a planner, and not for a
 * definition, tells that by another number, see `silenceOf`.
 */
export function silencePlaceOf(
  score: UncertaintyScore,
  observation: Observation,
  place: number | null,
): number | null {
  const { defined, features } = observation;
  return score.kind !== 'planner' || place === null || defined === true || features === null
    ? place
    : silenceOf(score, features, observation);
}
