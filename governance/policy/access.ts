/** Which documents somebody may read: what a router is opened with. */
import { createHash } from 'node:crypto';
import type { DocumentEntry } from '../../corpus/index.ts';
import type { Principal } from '../principals/index.ts';
import { fileOf, type LabelsOf, type PolicyDocument } from './labels.ts';
import type { Policy } from './policy.ts';

/** What rules on reading and changing documents. */
export interface Access {
  policy: Policy;
  labels: LabelsOf;
}

type Document = Pick<DocumentEntry, 'docId' | 'source'>;

/** What somebody may read of some documents, at a moment. */
export interface Readable {
  readable: (document: Pick<Document, 'docId'>) => boolean;
  /** Every one of them. */
  all: boolean;
  /** The same for all who may read the same. */
  key: string;
}

/** What nobody else is ruled on by: a document where a policy goes by which one it is, else all of the same labels. */
function caseOf({ policy, labels }: Access, { docId, source }: Document) {
  const document = labels(docId, fileOf({ source }));
  return { document, key: JSON.stringify(policy.namesDocuments ? document : { ...document, path: '' }) };
}

/**
 * Who may read which of these documents, by the policy and the labels as they stand; what expires later is not seen to
 * expire. Documents of the same labels are ruled on once: a ruling takes a tenth of a millisecond and more. Nobody may read
 * what is none of these documents.
 */
export function readersOf(
  access: Access,
  documents: readonly Document[],
): (principal: Principal, now: Date) => Readable {
  const cases = new Map<string, PolicyDocument>();
  const keys = new Map<string, string>();
  for (const each of documents) {
    const { document, key } = caseOf(access, each);
    cases.set(key, document);
    keys.set(each.docId, key);
  }
  return (principal, now) => {
    const allowed = new Set<string>();
    for (const [key, document] of cases) {
      if (access.policy.allows(principal, 'read', { document }, now).allowed) allowed.add(key);
    }
    return {
      readable: ({ docId }) => allowed.has(keys.get(docId) ?? ''),
      all: allowed.size === cases.size,
      key: createHash('sha256')
        .update(JSON.stringify([...allowed]))
        .digest('hex'),
    };
  };
}

/** The same for one principal, of documents that come one by one. */
export function readableBy(
  access: Access,
  principal: Principal,
  now: Date = new Date(),
): (document: Document) => boolean {
  const known = new Map<string, boolean>();
  return (each) => {
    const { document, key } = caseOf(access, each);
    const allowed = known.get(key) ?? access.policy.allows(principal, 'read', { document }, now).allowed;
    known.set(key, allowed);
    return allowed;
  };
}
