import { PragauraError } from '../../common/index.ts';
import type { BranchRequest, Hit } from './types.ts';

/** Throws ABORTED when the caller has gone away. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new PragauraError('ABORTED', 'Retrieval was cancelled.', { cause: signal.reason });
}

/** How many hits a branch has to look for: those handed over before and as many as the lease still holds. */
export function depthOf({ lease, skip = 0 }: BranchRequest): number {
  const left = lease.left('docsScored');
  return left === 0 ? 0 : skip + left;
}

/** Books the hits after the first `skip` and returns them. */
export function booked(found: readonly Hit[], { lease, skip = 0 }: BranchRequest): Hit[] {
  const hits = found.slice(skip);
  lease.spend('docsScored', hits.length);
  return hits;
}
