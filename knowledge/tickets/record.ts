/** Steps of tickets: one at a time, each on the audit log before it is taken. */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { holderOf, PragauraError, tryFileLock } from '../../common/index.ts';
import type { Actor, AuditEvent, AuditLog, Principal } from '../../governance/index.ts';
import { after, type TicketStep } from './states.ts';
import { changedMeanwhile, type TicketStore } from './store.ts';
import type { Ticket } from './ticket.ts';

export interface RecordOptions {
  dir: string;
  store: TicketStore;
  log: AuditLog;
  clock: () => Date;
  /** Version of the policy that rules; null without one. */
  policy: string | null;
  /** How long another process may hold the tickets, in milliseconds. */
  patienceMs: number;
}

type Detail = AuditEvent['detail'];

/** What somebody may change of a ticket with a step; the rest follows from the step. */
export type Change = Partial<Omit<Ticket, 'schema' | 'id' | 'version' | 'state' | 'history'>>;

export const actorOf = ({ id, roles, via }: Principal): Actor => ({ id, roles: [...roles], via });

export class TicketRecord {
  readonly #options: RecordOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  now(): Date {
    return this.#options.clock();
  }

  /** Puts an event on the log. Throws as `AuditLog.append`: then what it is about must not happen. */
  async note(kind: string, principal: Principal, about: string, detail: Detail): Promise<void> {
    const { log, policy } = this.#options;
    await log.append({ kind, by: actorOf(principal), about, detail: { ...detail, policy } });
  }

  /** A new ticket, once it is on the log; `make` is given its number. */
  async open(principal: Principal, make: (id: number, at: string) => Ticket): Promise<Ticket> {
    const { store } = this.#options;
    return this.exclusively('tickets', async () => {
      const ticket = make(store.free(), this.now().toISOString());
      await this.note('ticket.propose', principal, String(ticket.id), contentOf(ticket));
      store.add(ticket);
      return ticket;
    });
  }

  /**
   * Takes a step of a ticket as it was looked at. Throws CONFLICT where it was changed since and where the step does not lead on
   * from its state; AUDIT_FAILED and AUDIT_UNUSABLE, nothing of it is then done; TICKETS_LOCKED, TICKETS_UNUSABLE, WRITE_FAILED.
   */
  async step(principal: Principal, looked: Ticket, step: TicketStep, change: Change = {}): Promise<Ticket> {
    const { store } = this.#options;
    return this.exclusively('tickets', async () => {
      const ticket = store.ticket(looked.id);
      if (ticket === null || ticket.version !== looked.version) {
        throw changedMeanwhile(looked.id);
      }
      const state = after(ticket.state, step);
      if (state === null) throw cannot(ticket, step);
      const [version, at] = [ticket.version + 1, this.now().toISOString()];
      const history = [...ticket.history, { version, step, at, by: actorOf(principal) }];
      const next: Ticket = { ...ticket, ...change, version, state, history };
      await this.note(`ticket.${step}`, principal, String(ticket.id), contentOf(next));
      store.replace(next);
      return next;
    });
  }

  /** One after the other, here and in other processes. Throws TICKETS_LOCKED. */
  async exclusively<T>(what: 'tickets' | 'applying', work: () => Promise<T>): Promise<T> {
    if (what === 'applying') return this.#locked(what, work);
    const turn = this.#last.then(() => this.#locked(what, work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #locked<T>(what: string, work: () => Promise<T>): Promise<T> {
    const lock = path.join(this.#options.dir, `${what}.lock`);
    // By a clock that does not go back.
    const until = performance.now() + this.#options.patienceMs;
    for (;;) {
      const release = tryFileLock(lock);
      if (release !== null) {
        try {
          return await work();
        } finally {
          release();
        }
      }
      if (performance.now() >= until) {
        throw new PragauraError('TICKETS_LOCKED', `${holderOf(lock)} is busy with the tickets.`, {
          hint:
            what === 'applying' ? 'One change is applied at a time: wait until it is done.' : 'Try again.',
        });
      }
      await pause(5 + Math.random() * 10);
    }
  }
}

export function cannot({ id, state }: Ticket, step: string): PragauraError {
  return new PragauraError(
    'CONFLICT',
    `Ticket ${id} is ${state}: the step "${step}" does not lead on from there.`,
    {
      hint: 'Look at it again: its history says what became of it.',
    },
  );
}

/** What the log says of a ticket: documents and files by their hashes, figures, people; no words of anybody. */
function contentOf({
  version,
  state,
  put,
  remove,
  proof,
  base,
  assessment,
  staged,
  implemented,
  ...rest
}: Ticket): Detail {
  const named = (files: Ticket['put']) => files.map(({ name, sha256 }) => ({ name, sha256 }));
  return {
    version,
    state,
    put: named(put),
    remove,
    proof: named(proof),
    base,
    approvals: rest.approvals.map(({ by }) => by.id),
    proposer: rest.proposer.id,
    validFrom: rest.validFrom,
    validTo: rest.validTo,
    staged,
    implemented,
    ...(assessment !== null && {
      assessment: {
        index: assessment.index,
        trust: assessment.trust.score,
        contradictions: assessment.contradictions.found.length,
        changed: assessment.changed.length,
        problems: assessment.problems.length,
      },
    }),
  };
}
