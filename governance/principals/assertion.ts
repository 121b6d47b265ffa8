/** Who asks, as one process of ours says it to another: bound to one job and signed, so that nobody on the way can change either. */
import { z } from 'zod';
import { canonicalJson, PragauraError } from '../../common/index.ts';
import { Actor } from '../audit/index.ts';
import { isSignature, type PublicKey, type SigningKey, signatureOf } from '../keys.ts';
import type { Principal } from './principal.ts';

export const Assertion = z.strictObject({
  principal: Actor.extend({ clearance: z.number().int().min(0) }),
  /** When it was said, in milliseconds since 1970. */
  at: z.number().int().min(0),
  /** Fingerprint of the key. */
  key: z.string(),
  /** Ed25519, in base64url, over all of this and the job. */
  signature: z.string(),
});
export type Assertion = z.infer<typeof Assertion>;

/** What is asked, so that what was said of one job says nothing of another. */
export interface JobOf {
  jobId: string;
  /** SHA-256 of the query. */
  digest: string;
}

/** So long it holds: what somebody may do is looked up when it is used, but which roles they have was looked up when it was said. */
const HOLDS_MS = 24 * 3_600_000;

export function asserted(principal: Principal, job: JobOf, at: number, key: SigningKey): Assertion {
  const said = { principal, at, key: key.fingerprint };
  return { ...said, signature: signatureOf(textOf(said, job), key) };
}

/** Throws TOKEN_REFUSED where nobody who is believed said so of this job, or said so more than a day before `now`. */
export function principalBy(
  { signature, ...said }: Assertion,
  job: JobOf,
  now: number,
  keys: readonly PublicKey[],
): Principal {
  const key = keys.find(({ fingerprint }) => fingerprint === said.key);
  if (key === undefined || !isSignature(signature, textOf(said, job), key)) {
    throw new PragauraError('TOKEN_REFUSED', 'Nobody who is believed has said who asks.', {
      hint: 'Workers believe the keys of --submitter-key; "pragaura queue key" prints the public one of those who submit.',
    });
  }
  if (now - said.at > HOLDS_MS) {
    throw new PragauraError('TOKEN_REFUSED', 'It was said more than a day ago who asks: too long to hold.', {
      hint: 'Submit the query again, under another id.',
    });
  }
  return said.principal;
}

function textOf(said: Omit<Assertion, 'signature'>, { jobId, digest }: JobOf): string {
  return canonicalJson({ schema: 'pragaura.assertion/1', ...said, jobId, digest });
}
