/** What decides, in one hash: jobs go only to workers that would decide them alike. */

import { canonicalHash } from '../../common/index.ts';
import type { Router } from '../../router/index.ts';

export type ConfigurationParts = Pick<Router, 'versions' | 'validFor' | 'cautious'>;

/** What one configuration is made of: all that an opened router decides by. */
export function madeOf({ versions, validFor, cautious }: ConfigurationParts) {
  return { ...validFor, calibration: versions.calibration, cautious };
}

/** SHA-256, in hexadecimal, over what an opened router decides by. */
export function configurationOf(parts: ConfigurationParts): string {
  return canonicalHash(madeOf(parts));
}
