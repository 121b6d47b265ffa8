/** Which documents somebody may read: what a router is opened with. */
import type { DocumentEntry } from '../../corpus/index.ts';
import type { Principal } from '../principals/index.ts';
import type { LabelsOf } from './labels.ts';
import type { Policy } from './policy.ts';

/** What rules on reading and changing documents. */
export interface Access {
  policy: Policy;
  labels: LabelsOf;
}

/** By the policy and the labels as they stand, at this moment: what expires later is not seen to expire. */
export function readableBy(
  { policy, labels }: Access,
  principal: Principal,
  now: Date = new Date(),
): (document: Pick<DocumentEntry, 'docId' | 'source'>) => boolean {
  return ({ docId, source }) => {
    const document = labels(docId, source.split('#')[0]);
    return policy.allows(principal, 'read', { document }, now).allowed;
  };
}
