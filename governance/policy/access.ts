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

/**
 * By the policy and the labels as they stand, at this moment: what expires later is not seen to expire. Documents of the same
 * labels are ruled on once, where no policy goes by which document it is: a ruling takes a tenth of a millisecond and more.
 */
export function readableBy(
  { policy, labels }: Access,
  principal: Principal,
  now: Date = new Date(),
): (document: Pick<DocumentEntry, 'docId' | 'source'>) => boolean {
  const known = new Map<string, boolean>();
  return ({ docId, source }) => {
    const document = labels(docId, source.split('#')[0]);
    const key = JSON.stringify(policy.namesDocuments ? document : { ...document, path: '' });
    let allowed = known.get(key);
    if (allowed === undefined) {
      allowed = policy.allows(principal, 'read', { document }, now).allowed;
      known.set(key, allowed);
    }
    return allowed;
  };
}
