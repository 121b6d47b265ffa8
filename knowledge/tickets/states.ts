/** The states of a ticket and what leads from one to the next: one table, and nothing that is not in it happens. */

export const STATES = [
  'DRAFT',
  'SUBMITTED',
  'TRIAGED',
  'UNDER_REVIEW',
  'APPROVED',
  'SCHEDULED',
  'APPLYING',
  'VERIFYING',
  'IMPLEMENTED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
  'CONFLICT',
  'ROLLED_BACK',
] as const;
export type TicketState = (typeof STATES)[number];

export const STEPS = [
  /** The proposer gives another text, or proof. */
  'amend',
  'submit',
  /** What the change would do was measured. */
  'triage',
  /** One approval of those that are needed, not the last. */
  'endorse',
  /** The last approval that is needed. */
  'approve',
  'reject',
  'withdraw',
  'expire',
  'schedule',
  'apply',
  /** The generation with the change was written. */
  'stage',
  /** It is not there any more, or the index is another by now: it is written again. */
  'restage',
  'implement',
  /** The generation is not what was approved: approvals are void. */
  'fail',
  /** Somebody else changed the same documents since. */
  'conflict',
  /** What it put was taken out again: it is valid no longer. */
  'end',
  'rollback',
  /** The index went forth again to a generation that has it. */
  'restore',
] as const;
export type TicketStep = (typeof STEPS)[number];

const leave = { withdraw: 'WITHDRAWN', expire: 'EXPIRED' } as const;
const decide = { reject: 'REJECTED', conflict: 'CONFLICT', ...leave } as const;

export const TRANSITIONS: Readonly<Record<TicketState, Readonly<Partial<Record<TicketStep, TicketState>>>>> =
  {
    DRAFT: { amend: 'DRAFT', submit: 'SUBMITTED', ...leave },
    SUBMITTED: { triage: 'TRIAGED', ...decide },
    // What was measured grows old with the index, so it may be measured again; who approved, approved of the older one.
    TRIAGED: { triage: 'TRIAGED', endorse: 'UNDER_REVIEW', approve: 'APPROVED', ...decide },
    UNDER_REVIEW: { triage: 'TRIAGED', endorse: 'UNDER_REVIEW', approve: 'APPROVED', ...decide },
    APPROVED: { schedule: 'SCHEDULED', apply: 'APPLYING', ...decide },
    SCHEDULED: { schedule: 'SCHEDULED', apply: 'APPLYING', ...decide },
    // From here on it goes on by itself: no one withdraws what is being done.
    APPLYING: { stage: 'VERIFYING', fail: 'TRIAGED', conflict: 'CONFLICT' },
    VERIFYING: { implement: 'IMPLEMENTED', restage: 'APPLYING', fail: 'TRIAGED', conflict: 'CONFLICT' },
    IMPLEMENTED: { end: 'IMPLEMENTED', rollback: 'ROLLED_BACK' },
    CONFLICT: { amend: 'DRAFT', ...leave },
    REJECTED: {},
    WITHDRAWN: {},
    EXPIRED: {},
    ROLLED_BACK: { restore: 'IMPLEMENTED' },
  };

/** The state that a step leads to; null where it cannot be taken. */
export function after(state: TicketState, step: TicketStep): TicketState | null {
  return TRANSITIONS[state][step] ?? null;
}
