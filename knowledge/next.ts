/** What somebody can do next about a ticket. */
import { cannotApprove, type Principal } from '../governance/index.ts';
import { isSame, type Permissions } from './permissions.ts';
import { after } from './tickets/states.ts';
import { type Ticket, touched } from './tickets/ticket.ts';

export const ACTIONS = [
  ...(['amend', 'submit', 'withdraw'] as const),
  ...(['triage', 'approve', 'reject'] as const),
  ...(['schedule', 'apply', 'rollback'] as const),
] as const;
export type TicketAction = (typeof ACTIONS)[number];

interface Situation {
  permissions: Permissions;
  now: Date;
  /** Hash of the index. */
  last: string;
}

/** Those that would not be refused as things stand. Whether its documents are still as they were is seen when it is tried. */
export function nextOf(
  principal: Principal,
  ticket: Ticket,
  { permissions, now, last }: Situation,
): TicketAction[] {
  const { state, proposer, approvals, assessment, validFrom, implemented, put, remove } = ticket;
  const isOwn = isSame(principal, proposer);
  const documents = touched(ticket);
  const may = (action: 'review' | 'schedule' | 'apply' | 'rollback') =>
    permissions.mayAll(principal, action, documents, ticket.files);
  const mayApprove = () =>
    cannotApprove(principal, proposer, approvals) === null && (assessment?.problems ?? []).length === 0;
  const isDue = validFrom === null || Date.parse(validFrom) <= now.getTime();
  const begun = state === 'APPLYING' || state === 'VERIFYING';
  const can: Record<TicketAction, () => boolean> = {
    amend: () => isOwn && after(state, 'amend') !== null,
    submit: () => isOwn && after(state, 'submit') !== null && put.length + remove.length > 0,
    withdraw: () => isOwn && after(state, 'withdraw') !== null,
    triage: () => after(state, 'triage') !== null && may('review'),
    approve: () => after(state, 'approve') !== null && may('review') && mayApprove(),
    reject: () => after(state, 'reject') !== null && may('review'),
    schedule: () => after(state, 'schedule') !== null && may('schedule'),
    apply: () => (begun || (after(state, 'apply') !== null && isDue)) && may('apply'),
    rollback: () => state === 'IMPLEMENTED' && implemented!.index === last && may('rollback'),
  };
  return ACTIONS.filter((action) => can[action]());
}
