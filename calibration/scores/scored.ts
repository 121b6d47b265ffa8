import { createHash } from 'node:crypto';
import type { UncertaintyScore } from '../../router/index.ts';
import { answerableOf } from '../labels/examples.ts';
import type { Scored } from '../thresholds/types.ts';
import type { Observation } from '../types.ts';
import { placeOf, silencePlaceOf } from './place.ts';

/**
 * An observation as thresholds see it under a score. U is null when a gate is closed, nothing was scored or the query
 * could not be decided: no threshold answers it, and it stays in every denominator. `document`: what its document is
 * called (see `documentsAmong`); without it its group counts as one, whatever that shares with others. Pure.
 */
export function scoredWith(
  score: UncertaintyScore,
  observation: Observation,
  wrong: (observation: Observation) => boolean | null,
  document: string = observation.example.group,
): Scored {
  const { act, closed, asks, error, example } = observation;
  const U = placeOf(score, observation);
  return {
    act: error === null ? act : null,
    U,
    // Only a planner tells asking from silence by another number than U.
    ...(score.kind === 'planner' ? { silence: silencePlaceOf(score, observation, U) } : {}),
    wrong: wrong(observation),
    answerable: answerableOf(example),
    asked: closed !== null && asks === true,
    group: document,
    draw: drawOf(example.id),
  };
}

/** In [0, 1), by the id alone. */
function drawOf(id: string): number {
  return createHash('sha256').update(id).digest().readUIntBE(0, 6) / 2 ** 48;
}
