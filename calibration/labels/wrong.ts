import type { Level } from '../levels/level.ts';
import type { Observation } from '../types.ts';

/** When an answer counts as wrong: by exact match, or by an F1 below `least`. */
export type WrongRule = { kind: 'em' } | { kind: 'f1'; least: Level };

/** Whether the candidate would be a wrong answer; null when the labels do not say. */
export function isWrong(observation: Observation, rule: WrongRule): boolean | null {
  return observation.error === null && rule.kind === 'em';
}

/** 1 - EM and 1 - F1 of the candidate, in [0, 1]; null when the labels name no answers. */
export function lossesOf(observation: Observation): { em: number | null; f1: number | null } {
  return { em: observation.error === null ? 0 : 1, f1: null };
}
