/** That a policy was looked at before it holds: who proposed it in the place of which, who approved it, signed with the key of a log. */
import { z } from 'zod';
import { canonicalJson, PragauraError } from '../../common/index.ts';
import { Actor } from '../audit/index.ts';
import { isSignature, type PublicKey, type SigningKey, signatureOf } from '../keys.ts';
import { APPROVALS, cannotApprove } from '../principals/approvals.ts';

const version = z.string().regex(/^[0-9a-f]{64}$/);

export const PolicyReview = z.strictObject({
  schema: z.literal('pragaura.policy-review/1'),
  version,
  /** Of the policy whose place it takes; null for the first. */
  before: version.nullable(),
  proposer: Actor,
  at: z.iso.datetime(),
  approvals: z.array(z.strictObject({ by: Actor, at: z.iso.datetime(), because: z.string().min(1) })),
  /** Fingerprint of the key. */
  key: z.string(),
  /** Ed25519, in base64url, over all of this. */
  signature: z.string(),
});
export type PolicyReview = z.infer<typeof PolicyReview>;

type Unsigned = Omit<PolicyReview, 'key' | 'signature'>;

export function signedReview(review: Unsigned, key: SigningKey): PolicyReview {
  const said = { ...review, key: key.fingerprint };
  return { ...said, signature: signatureOf(canonicalJson(said), key) };
}

/** Throws POLICY_UNUSABLE where it was not signed so. */
export function checkSigned({ signature, ...said }: PolicyReview, key: PublicKey, file: string): void {
  if (said.key === key.fingerprint && isSignature(signature, canonicalJson(said), key)) return;
  throw new PragauraError('POLICY_UNUSABLE', `${file} was changed, or is signed with another key.`, {
    hint: 'Propose the policy again.',
  });
}

/**
 * With the approval of one more. Throws NOT_PERMITTED for the proposer, for nobody in particular, and for whoever approved before.
 */
export function approved(
  review: PolicyReview,
  by: Actor,
  because: string,
  now: Date,
  key: SigningKey,
): PolicyReview {
  const refusal = cannotApprove(by, review.proposer, review.approvals);
  if (refusal !== null) {
    throw new PragauraError('NOT_PERMITTED', refusal, { hint: 'It is for somebody else to look at.' });
  }
  const { key: _, signature: __, ...said } = review;
  const approvals = [...said.approvals, { by, at: now.toISOString(), because }];
  return signedReview({ ...said, approvals }, key);
}

/** Throws POLICY_UNUSABLE unless a review is of this policy, whole, and by enough people. */
export function checkReviewed(
  review: PolicyReview,
  policy: { version: string },
  key: PublicKey,
  file: string,
): void {
  checkSigned(review, key, file);
  const { length } = review.approvals;
  const why =
    review.version !== policy.version
      ? `${file} is of another text than the policy has`
      : length < APPROVALS
        ? `${length} of ${APPROVALS} have approved the policy that ${file} is of`
        : null;
  if (why === null) return;
  throw new PragauraError('POLICY_UNUSABLE', `${why}.`, {
    hint: 'It holds once it is reviewed: "pragaura policy propose", then "pragaura policy approve" by others.',
  });
}
