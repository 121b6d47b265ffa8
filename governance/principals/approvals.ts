/** Who may approve what others propose: as many as it takes, each of them somebody, none of them the proposer, nobody twice. */
import type { Actor } from '../audit/index.ts';

/** How many have to approve where nobody says otherwise. */
export const APPROVALS = 2;

/** Why somebody may not approve what was proposed; null where he may. */
export function cannotApprove(
  by: Pick<Actor, 'id' | 'via'>,
  proposer: Pick<Actor, 'id'>,
  approvals: readonly { by: Pick<Actor, 'id'> }[],
): string | null {
  if (by.via === 'none') return 'Whoever approves has to say who they are.';
  if (by.id === proposer.id) return 'Nobody approves what they proposed.';
  return approvals.some((each) => each.by.id === by.id) ? `${by.id} has approved already.` : null;
}
