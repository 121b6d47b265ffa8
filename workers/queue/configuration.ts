/** What decides, in one hash: jobs go only to workers that would decide them alike. */

import { canonicalHash } from '../../common/index.ts';
import type { Access } from '../../governance/index.ts';
import type { Router } from '../../router/index.ts';

export type ConfigurationParts = Pick<Router, 'versions' | 'validFor' | 'cautious'>;

/** What one configuration is made of: all that an opened router decides by, and the policy, where one says who may read what. */
export function madeOf({ versions, validFor, cautious }: ConfigurationParts, access?: Policy) {
  const made = { ...validFor, calibration: versions.calibration, cautious };
  return access === undefined ? made : { ...made, access: access.version };
}

/** SHA-256, in hexadecimal, over what an opened router decides by. */
export function configurationOf(parts: ConfigurationParts, access?: Policy): string {
  return canonicalHash(madeOf(parts, access));
}

type Policy = Pick<Access['policy'], 'version'>;
