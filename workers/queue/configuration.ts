/** What decides, in one hash: jobs go only to workers that would decide them alike. */
import type { Router } from '../../router/index.ts';
import { hashOf } from './names.ts';

export type ConfigurationParts = Pick<Router, 'versions' | 'validFor'>;

/** SHA-256, in hexadecimal, over index, models, profiles, policy, budget and calibration of an opened router. */
export function configurationOf({ versions, validFor }: ConfigurationParts): string {
  return hashOf({ ...validFor, calibration: versions.calibration });
}
