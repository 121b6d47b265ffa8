import { BRANCHES, type BranchName } from '../../profiles/index.ts';
import type { Lease } from '../budget/index.ts';
import type { Branch, Hit, RetrievalRequest } from './types.ts';

interface Granted {
  name: BranchName;
  lease: Lease;
  skip: number;
}

type Branches = Readonly<Record<BranchName, Branch>>;

/** Runs the granted branches side by side. Every lease is closed when this settles, whatever happened. */
async function runGranted(
  branches: Branches,
  request: RetrievalRequest,
  granted: readonly Granted[],
): Promise<Hit[][]> {
  const { query, vector, filters, signal } = request;
  const runs = granted.map(({ name, lease, skip }) =>
    branches[name].retrieve({ query, vector, filters, lease, skip, signal }),
  );
  // Waiting for all, not for the first failure: a lease must not be closed under a branch that still runs.
  const settled = await Promise.allSettled(runs);
  for (const { lease } of granted) lease.close();
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/**
 * Runs every branch that the allocation gives a share, in parallel, each under its own lease; then offers what
 * was left unspent to the branches of `degrade`, in that order, one after the other. A branch that found less than
 * its lease held has no more to give and is passed over. What is granted depends only on the counts of hits, never
 * on who finished first.
 */
export async function runBranches(
  branches: Branches,
  request: RetrievalRequest,
): Promise<Partial<Record<BranchName, Hit[]>>> {
  const { allocation, ledger } = request;
  const shares = BRANCHES.filter((name) => allocation.branches[name] > 0);
  const granted = shares.map((name) => ({
    name,
    lease: ledger.lease(name, { docsScored: allocation.branches[name] }),
    skip: 0,
  }));
  const found = await runGranted(branches, request, granted);
  const byBranch: Partial<Record<BranchName, Hit[]>> = {};
  const exhausted = new Set<BranchName>();
  let unspent = 0;
  granted.forEach(({ name, lease }, i) => {
    const hits = found[i]!;
    const spare = lease.granted.docsScored - hits.length;
    byBranch[name] = hits;
    unspent += spare;
    if (spare > 0) exhausted.add(name);
  });
  for (const name of allocation.degrade) {
    if (unspent === 0) break;
    if (exhausted.has(name)) continue;
    const before = byBranch[name] ?? [];
    const lease = ledger.lease(`${name}+`, { docsScored: unspent });
    const [more] = await runGranted(branches, request, [{ name, lease, skip: before.length }]);
    byBranch[name] = [...before, ...more!];
    unspent -= more!.length;
  }
  return byBranch;
}
