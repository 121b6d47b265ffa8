import { describe, expect, it } from 'vitest';
import { after as next, STATES, STEPS, type TicketState, type TicketStep, TRANSITIONS } from './states.ts';

const LEFT_BY = [
  'DRAFT: amend DRAFT, submit SUBMITTED, withdraw WITHDRAWN, expire EXPIRED',
  'SUBMITTED: triage TRIAGED, reject REJECTED, withdraw WITHDRAWN, expire EXPIRED, conflict CONFLICT',
  'TRIAGED: triage TRIAGED, endorse UNDER_REVIEW, approve APPROVED, reject REJECTED, withdraw WITHDRAWN, expire EXPIRED, conflict CONFLICT',
  'UNDER_REVIEW: triage TRIAGED, endorse UNDER_REVIEW, approve APPROVED, reject REJECTED, withdraw WITHDRAWN, expire EXPIRED, conflict CONFLICT',
  'APPROVED: reject REJECTED, withdraw WITHDRAWN, expire EXPIRED, schedule SCHEDULED, apply APPLYING, conflict CONFLICT',
  'SCHEDULED: reject REJECTED, withdraw WITHDRAWN, expire EXPIRED, schedule SCHEDULED, apply APPLYING, conflict CONFLICT',
  'APPLYING: stage VERIFYING, fail TRIAGED, conflict CONFLICT',
  'VERIFYING: restage APPLYING, implement IMPLEMENTED, fail TRIAGED, conflict CONFLICT',
  'IMPLEMENTED: end IMPLEMENTED, rollback ROLLED_BACK',
  'REJECTED:',
  'WITHDRAWN:',
  'EXPIRED:',
  'CONFLICT: amend DRAFT, withdraw WITHDRAWN, expire EXPIRED',
  'ROLLED_BACK: restore IMPLEMENTED',
];

/** Every way from a state, as the steps that were taken, without taking the same step from the same state twice. */
function* ways(
  from: TicketState,
  taken: readonly string[] = [],
): Generator<{ state: TicketState; steps: TicketStep[] }> {
  for (const step of STEPS) {
    const state = next(from, step);
    const edge = `${from} ${step}`;
    if (state === null || taken.includes(edge)) continue;
    yield { state, steps: [...taken, edge].map((each) => each.split(' ')[1] as TicketStep) };
    yield* ways(state, [...taken, edge]);
  }
}

/** States that can be reached from one, without steps that are left out. */
function reached(from: TicketState, without: readonly TicketStep[] = []): Set<TicketState> {
  const found = new Set<TicketState>([from]);
  for (const state of found) {
    for (const step of STEPS) {
      const to = without.includes(step) ? null : next(state, step);
      if (to !== null) found.add(to);
    }
  }
  return found;
}

describe('the states of a ticket', () => {
  it('are all reached from a draft, and each leads to an end', () => {
    expect([...reached('DRAFT')].sort()).toEqual([...STATES].sort());
    const ends = STATES.filter((state) => Object.keys(TRANSITIONS[state]).length === 0);
    expect(ends.sort()).toEqual(['EXPIRED', 'REJECTED', 'WITHDRAWN']);
    for (const state of STATES) {
      const last = [...reached(state)];
      expect(
        last.some((each) => [...ends, 'IMPLEMENTED', 'ROLLED_BACK'].includes(each)),
        state,
      ).toBe(true);
    }
  });

  it.each(['submit', 'triage', 'approve', 'apply', 'stage', 'implement'] as const)(
    'do not lead into the index without "%s"',
    (step) => {
      expect(reached('DRAFT').has('IMPLEMENTED')).toBe(true);
      expect(reached('DRAFT', [step]).has('IMPLEMENTED')).toBe(false);
    },
  );

  it('lose their approvals wherever the text or the ground changes', () => {
    // After any of these steps an approval is needed again.
    for (const step of ['amend', 'triage', 'fail', 'conflict'] as const) {
      for (const state of STATES) {
        const to = next(state, step);
        if (to !== null) expect(reached(to, ['approve']).has('APPLYING'), `${state} ${step}`).toBe(false);
      }
    }
  });

  it('are left by these steps and no others, of all states and steps', () => {
    const lines = STATES.map((state) => {
      const steps = STEPS.flatMap((step) =>
        next(state, step) === null ? [] : [`${step} ${next(state, step)}`],
      );
      return `${state}: ${steps.join(', ')}`.trim();
    });
    expect(lines).toEqual(LEFT_BY);
  });

  it('cannot be withdrawn, rejected or expire while they are being applied, and after', () => {
    for (const state of ['APPLYING', 'VERIFYING', 'IMPLEMENTED', 'ROLLED_BACK'] as const) {
      for (const step of ['withdraw', 'reject', 'expire', 'amend', 'submit', 'approve'] as const) {
        expect(next(state, step), `${state} ${step}`).toBeNull();
      }
    }
  });

  it('take every way from approval to the index through a generation that was looked at', () => {
    let seen = 0;
    for (const { state, steps } of ways('APPROVED')) {
      if (state !== 'IMPLEMENTED' || steps.at(-1) !== 'implement') continue;
      seen += 1;
      expect(steps.slice(steps.lastIndexOf('apply') + 1)).toContain('stage');
      if (seen > 200) break;
    }
    expect(seen).toBeGreaterThan(0);
  });
});
