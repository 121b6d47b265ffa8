import { BRANCHES, type BranchName } from '../../profiles/index.ts';
import { type Run, searchOf } from './branches.ts';
import type { BranchRequest, Hit, RetrievalRequest } from './types.ts';

interface Granted extends Pick<BranchRequest, 'lease' | 'skip'> {
  name: BranchName;
}

type Asked = Pick<BranchRequest, 'query' | 'vector' | 'filters' | 'signal'>;

/**
 * Runs the branches in one go, each for the hits that it handed over before and as many as its lease still holds; books and
 * gives the others.
 */
export async function find(search: Run, request: Asked, granted: readonly Granted[]): Promise<Hit[][]> {
  const searches = granted.map(({ name, lease, skip = 0 }) => {
    const left = lease.left('docsScored');
    return searchOf(name, request, left === 0 ? 0 : skip + left);
  });
  const found = await search(searches, { signal: request.signal });
  return granted.map(({ lease, skip = 0 }, i) => {
    const hits = found[i]!.slice(skip);
    lease.spend('docsScored', hits.length);
    return hits;
  });
}

/** The same; every lease is closed when this settles, whatever happened. */
async function runGranted(search: Run, request: Asked, granted: readonly Granted[]): Promise<Hit[][]> {
  try {
    return await find(search, request, granted);
  } finally {
    for (const { lease } of granted) lease.close();
  }
}

/**
 * Runs every branch that the allocation gives a share, in one go, each under its own lease; then offers what
 * was left unspent to the branches of `degrade`, in that order, one after the other. A branch that found less than
 * its lease held has no more to give and is passed over. What is granted depends only on the counts of hits, never
 * on who finished first.
 */
export async function runBranches(
  search: Run,
  request: RetrievalRequest,
): Promise<Partial<Record<BranchName, Hit[]>>> {
  const { allocation, ledger } = request;
  const shares = BRANCHES.filter((name) => allocation.branches[name] > 0);
  const granted = shares.map((name) => ({
    name,
    lease: ledger.lease(name, { docsScored: allocation.branches[name] }),
    skip: 0,
  }));
  const found = await runGranted(search, request, granted);
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
    const [more] = await runGranted(search, request, [{ name, lease, skip: before.length }]);
    byBranch[name] = [...before, ...more!];
    unspent -= more!.length;
  }
  return byBranch;
}
