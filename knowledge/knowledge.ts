/** Reviewed knowledge: what becomes of a proposal until it is in the index, step by step, each on the audit log before it is taken. */
import path from 'node:path';
import { PragauraError } from '../common/index.ts';
import {
  checkedId,
  checkedTogether,
  generationsOf,
  KNOWLEDGE,
  openIndex,
  rollBack,
} from '../corpus/index.ts';
import {
  type Access,
  APPROVALS,
  type AuditLog,
  cannotApprove,
  type PolicyAction,
  type Principal,
} from '../governance/index.ts';
import type { Scorers } from '../scorers/index.ts';
import { apply, end, movedOn } from './applying/apply.ts';
import { hashBefore, type RolledBack, targetOf } from './applying/rollback.ts';
import { filesIn, isFresh, standsAs, statesIn, type Workplace } from './applying/staging.ts';
import { changedBetween } from './applying/verification.ts';
import { assess } from './assessing/assess.ts';
import type { Difference } from './assessing/difference.ts';
import { differencesOf } from './assessing/differences.ts';
import { type PassageProvenance, provenanceOf } from './assessing/provenance.ts';
import type { Canary } from './assessing/replay.ts';
import { nextOf, type TicketAction } from './next.ts';
import { isSame, Permissions } from './permissions.ts';
import { PROPOSAL_BOUNDS, type Proposal, problemOf } from './tickets/proposal.ts';
import { actorOf, type Change, cannot, TicketRecord } from './tickets/record.ts';
import { after, STATES, type TicketState, type TicketStep } from './tickets/states.ts';
import { changedMeanwhile, TicketStore } from './tickets/store.ts';
import { type Ticket, touched } from './tickets/ticket.ts';

export interface KnowledgeOptions {
  /** Folder of the index; tickets lie in it. */
  index: string;
  /** Null: who is trusted at this machine may do everything but approve what is their own. */
  access: Access | null;
  log: AuditLog;
  /** Opened where something is measured, indexed or asked, with all jobs; left open. */
  scorers: () => Promise<Scorers>;
  clock?: () => Date;
  /** How long another process may hold the tickets, in milliseconds. Default 10,000. */
  patienceMs?: number;
}

const CANARIES = 500;
const DAY_MS = 86_400_000;
/** States of tickets on which somebody has to decide. */
const OPEN = STATES.filter((state) => after(state, 'expire') !== null);

/** The tickets of an index. Safe to open in several processes; every change is of the version that was looked at, or is none. */
export class Knowledge {
  readonly #workplace: Workplace;
  readonly #store: TicketStore;
  readonly #permissions: Permissions;
  readonly #record: TicketRecord;

  private constructor(
    { index, access, log, scorers, clock, patienceMs }: KnowledgeOptions,
    store: TicketStore,
  ) {
    const now = clock ?? (() => new Date());
    this.#store = store;
    this.#workplace = { index, store, scorers };
    this.#permissions = new Permissions(access, now);
    this.#record = new TicketRecord({
      dir: path.join(index, KNOWLEDGE),
      store,
      log,
      clock: now,
      policy: this.#permissions.version,
      patienceMs: patienceMs ?? 10_000,
    });
  }

  /** Throws INDEX_UNUSABLE where there is no index, and as `TicketStore.open`. */
  static async open(options: KnowledgeOptions): Promise<Knowledge> {
    generationsOf(options.index);
    return new Knowledge(options, await TicketStore.open(path.join(options.index, KNOWLEDGE)));
  }

  close(): void {
    this.#store.close();
  }

  /** How many have to approve, none of them the proposer. */
  get approvals(): number {
    return Number(this.#store.setting('approvals') ?? APPROVALS);
  }

  /** Hash of the index as it is. */
  get indexHash(): string {
    return generationsOf(this.#workplace.index)[0]!.hash;
  }

  /** They may be about what not everybody may read. Throws NOT_PERMITTED. */
  async canaries(principal: Principal): Promise<Canary[]> {
    await this.#mayAdminister(principal);
    return this.#canaries();
  }

  /** Throws NOT_PERMITTED, USAGE for less than 1, and as the log and the store do. */
  async requireApprovals(principal: Principal, count: number): Promise<void> {
    if (!Number.isInteger(count) || count < 1 || count > 9) {
      throw new PragauraError('USAGE', 'Between 1 and 9 people have to approve.');
    }
    await this.#administer(principal, 'approvals', String(count), count);
  }

  /** Questions that are asked of every generation before it becomes the index. Throws as `requireApprovals`. */
  async watch(principal: Principal, canaries: readonly Canary[]): Promise<void> {
    if (canaries.length > CANARIES) throw new PragauraError('USAGE', `There can be ${CANARIES} canaries.`);
    await this.#administer(principal, 'canaries', JSON.stringify(canaries), canaries.length);
  }

  async #administer(principal: Principal, name: string, value: string, said: number): Promise<void> {
    await this.#mayAdminister(principal);
    await this.#record.exclusively('tickets', async () => {
      await this.#record.note(`knowledge.${name}`, principal, '', { value: said });
      this.#store.set(name, value);
    });
  }

  /** Tickets that somebody may see, the oldest first. */
  tickets(principal: Principal, states?: readonly TicketState[]): Ticket[] {
    return this.#store.tickets(states).flatMap((ticket) => {
      return this.#permissions.maySee(principal, ticket) ? [this.#shown(principal, ticket)] : [];
    });
  }

  /** Throws NOT_FOUND where there is none that this principal may see. */
  ticket(principal: Principal, id: number): Ticket {
    return this.#shown(principal, this.#seen(principal, id));
  }

  /** What this principal can do about a ticket now; nothing where it waits for others, or for its day. */
  next(principal: Principal, ticket: Ticket): TicketAction[] {
    const situation = { permissions: this.#permissions, now: this.#now(), last: this.indexHash };
    return nextOf(principal, ticket, situation);
  }

  /** A draft. Throws NOT_PERMITTED, INVALID_INPUT and NOT_FOUND for what cannot be proposed, AUDIT_FAILED and as the store does. */
  async propose(principal: Principal, proposal: Proposal): Promise<Ticket> {
    const content = await this.#content(principal, proposal, 'new');
    return this.#record.open(principal, (id, at) => {
      const by = actorOf(principal);
      return {
        schema: 'pragaura.ticket/1',
        id,
        version: 1,
        state: 'DRAFT',
        proposer: by,
        from: proposal.from ?? 'proposal',
        ...content,
        created: at,
        approvals: [],
        rejected: null,
        assessment: null,
        staged: null,
        implemented: null,
        trouble: null,
        history: [{ version: 1, step: 'propose', at, by }],
      };
    });
  }

  /** Another text, or other proof, in the place of what was proposed; only the proposer. Throws as `propose`. */
  async amend(principal: Principal, id: number, proposal: Proposal): Promise<Ticket> {
    const before = this.#own(principal, id);
    const content = await this.#content(principal, proposal, String(id));
    const anew = { assessment: null, approvals: [], trouble: null };
    return this.#step(principal, before, 'amend', { ...content, ...anew });
  }

  /** Throws USAGE where no document is put or removed, NOT_PERMITTED for others than the proposer. */
  async submit(principal: Principal, id: number): Promise<Ticket> {
    const ticket = this.#own(principal, id);
    if (ticket.put.length + ticket.remove.length === 0) {
      throw new PragauraError('USAGE', `Ticket ${id} does not say what is to stand in the documents.`, {
        hint: `Give it a text: pragaura knowledge propose FILE --ticket ${id}`,
      });
    }
    return this.#step(principal, ticket, 'submit');
  }

  async withdraw(principal: Principal, id: number): Promise<Ticket> {
    return this.#step(principal, this.#own(principal, id), 'withdraw');
  }

  /** Old and new text of every document of a ticket that the principal may see. Throws as `ticket`, TICKETS_UNUSABLE. */
  async differences(principal: Principal, id: number): Promise<Difference[]> {
    const ticket = this.#seen(principal, id);
    const now = await openIndex(this.#workplace.index);
    const files = { ...ticket.files, ...filesIn(now, touched(ticket)) };
    const differences = await differencesOf(this.#store, ticket, now);
    return differences.filter(({ docId }) => this.#permissions.may(principal, 'read', docId, files));
  }

  /** A file that bears the claim of a ticket out, by its hash. Throws as `ticket`, NOT_FOUND where it has none such, TICKETS_UNUSABLE. */
  async proof(
    principal: Principal,
    id: number,
    sha256: string,
  ): Promise<{ name: string; bytes: Uint8Array }> {
    const file = this.#seen(principal, id).proof.find((each) => each.sha256 === sha256);
    if (file === undefined) throw new PragauraError('NOT_FOUND', `Ticket ${id} has no such proof.`);
    return { name: file.name, bytes: await this.#store.bytesOf(file) };
  }

  /**
   * Every passage of a document that is, was or is to be, as far as generations are kept and tickets are for the principal. Throws
   * NOT_FOUND where there is nothing of it that they may read, INDEX_UNUSABLE, TICKETS_UNUSABLE.
   */
  async passages(principal: Principal, docId: string): Promise<PassageProvenance[]> {
    const { index } = this.#workplace;
    const tickets = this.tickets(principal).filter((ticket) => touched(ticket).includes(docId));
    const files = Object.assign(
      {},
      ...tickets.map((ticket) => ticket.files),
      filesIn(await openIndex(index), [docId]),
    );
    const found = this.#permissions.may(principal, 'read', docId, files)
      ? await provenanceOf(index, this.#store, docId, tickets)
      : [];
    if (found.length > 0) return found;
    throw new PragauraError(
      'NOT_FOUND',
      `There is no document ${JSON.stringify(docId)}, and none is proposed.`,
      {
        hint: '"pragaura retrieve" names documents.',
      },
    );
  }

  /**
   * Measures what a change would do: against the documents that are there, with the canaries and `questions`. Throws
   * NOT_PERMITTED, CONFLICT, TICKETS_LOCKED while another change is measured or applied, and what indexing and the models throw.
   */
  async triage(principal: Principal, id: number, questions: readonly Canary[] = []): Promise<Ticket> {
    await this.#mustBeAllowed(principal, 'review', this.#seen(principal, id));
    // What is staged is measured and swept away: not under somebody who is applying.
    return this.#record.exclusively('applying', async () => {
      const ticket = await this.#reviewed(principal, id);
      if (after(ticket.state, 'triage') === null) throw cannot(ticket, 'triage');
      const earlier = this.#store.tickets().filter(({ proposer }) => proposer.id === ticket.proposer.id);
      const asked = [...this.#canaries(), ...questions];
      const measured = await assess(this.#workplace, ticket, earlier, asked);
      const assessment = { at: this.#now().toISOString(), by: principal.id, ...measured };
      return this.#step(principal, ticket, 'triage', { assessment, approvals: [], trouble: null });
    });
  }

  /**
   * Throws NOT_PERMITTED for the proposer, for nobody in particular, and for whoever approved before; CONFLICT, also where
   * `version` is not that of the ticket any more.
   */
  async approve(principal: Principal, id: number, because: string, version?: number): Promise<Ticket> {
    const ticket = await this.#reviewed(principal, id, version);
    const { approvals, proposer, assessment } = ticket;
    const refusal = cannotApprove(principal, proposer, approvals);
    if (refusal !== null) {
      await this.#record.note('ticket.refused', principal, String(id), { action: 'review' });
      throw new PragauraError('NOT_PERMITTED', refusal, { hint: 'It is for somebody else to look at.' });
    }
    const [problem] = assessment?.problems ?? [];
    if (problem !== undefined) {
      throw new PragauraError('CONFLICT', `Ticket ${id} cannot be applied as it stands: ${problem}.`, {
        hint: 'Reject it, and say why; its proposer can propose another text.',
      });
    }
    const approval = { by: actorOf(principal), at: this.#now().toISOString(), because };
    const last = approvals.length + 1 >= this.approvals;
    return this.#step(principal, ticket, last ? 'approve' : 'endorse', {
      approvals: [...approvals, approval],
    });
  }

  /** Throws as `approve`. */
  async reject(principal: Principal, id: number, because: string, version?: number): Promise<Ticket> {
    const ticket = await this.#reviewed(principal, id, version);
    const rejected = { by: actorOf(principal), at: this.#now().toISOString(), because };
    return this.#step(principal, ticket, 'reject', { rejected });
  }

  /** An embargo: it is applied by `applyDue` from then on, and by nobody before. */
  async schedule(principal: Principal, id: number, at: Date): Promise<Ticket> {
    const ticket = this.#seen(principal, id);
    await this.#mustBeAllowed(principal, 'schedule', ticket);
    if (ticket.validTo !== null && Date.parse(ticket.validTo) <= at.getTime()) {
      throw new PragauraError('USAGE', `Ticket ${id} is valid until ${ticket.validTo} and not after.`);
    }
    return this.#step(principal, ticket, 'schedule', { validFrom: at.toISOString() });
  }

  /**
   * Makes the change: a generation with it is written, looked at, and becomes the index from one moment to the next. What was
   * killed on the way goes on with the next call. Throws NOT_PERMITTED, CONFLICT where somebody else changed the documents, where
   * the generation is not what was approved (the ticket goes back to its reviewers) and under an embargo; TICKETS_LOCKED while
   * another process applies; what indexing and the models throw.
   */
  async apply(principal: Principal, id: number): Promise<Ticket> {
    await this.#mustBeAllowed(principal, 'apply', this.#seen(principal, id));
    return this.#record.exclusively('applying', async () => {
      const ticket = this.#seen(principal, id);
      const { state, validFrom } = ticket;
      const begun = state === 'APPLYING' || state === 'VERIFYING';
      if (!begun && after(state, 'apply') === null) throw cannot(ticket, 'apply');
      if (!begun && validFrom !== null && Date.parse(validFrom) > this.#now().getTime()) {
        throw new PragauraError('CONFLICT', `Ticket ${id} is under an embargo until ${validFrom}.`, {
          hint: '"pragaura knowledge apply --due" applies it from then on.',
        });
      }
      const applied = await apply(this.#workplace, this.#record, principal, ticket, this.#canaries());
      return this.#shown(principal, applied);
    });
  }

  /** Expires what nobody decided on, applies what is due, takes out what is no longer valid. Gives the tickets that changed. */
  async applyDue(principal: Principal): Promise<{ ticket: Ticket; error: PragauraError | null }[]> {
    const done: { ticket: Ticket; error: PragauraError | null }[] = [];
    const now = this.#now().getTime();
    const tried = async (ticket: Ticket, work: () => Promise<Ticket>) => {
      try {
        done.push({ ticket: await work(), error: null });
      } catch (error) {
        if (!PragauraError.isInstance(error)) throw error;
        done.push({ ticket: this.#shown(principal, this.#store.ticket(ticket.id)!), error });
      }
    };
    for (const ticket of this.tickets(principal, OPEN)) {
      if (Date.parse(ticket.expires) <= now)
        await tried(ticket, () => this.#step(principal, ticket, 'expire'));
    }
    for (const ticket of this.tickets(principal, ['SCHEDULED', 'APPLYING', 'VERIFYING'])) {
      const from = Date.parse(ticket.validFrom ?? ticket.created);
      if (from <= now) await tried(ticket, () => this.apply(principal, ticket.id));
    }
    for (const ticket of this.tickets(principal, ['IMPLEMENTED'])) {
      const { validTo, implemented } = ticket;
      if (validTo !== null && Date.parse(validTo) <= now && implemented!.ended === null) {
        await tried(ticket, async () => {
          await this.#mustBeAllowed(principal, 'apply', ticket);
          const ended = await this.#record.exclusively('applying', () =>
            end(this.#workplace, this.#record, principal, ticket),
          );
          return this.#shown(principal, ended);
        });
      }
    }
    return done;
  }

  /**
   * Makes another generation the index, from one moment to the next: that before a ticket, as long as it is the last update, or
   * one by its name, the one before by default. Throws NOT_FOUND, NOT_PERMITTED unless all that differs may be taken back,
   * CONFLICT, TICKETS_LOCKED while something is applied, and as `rollBack` of the corpus.
   */
  async rollBack(
    principal: Principal,
    to: { ticket: number } | { generation?: string | undefined } = {},
  ): Promise<RolledBack> {
    const { index } = this.#workplace;
    if ('ticket' in to) await this.#mustBeAllowed(principal, 'rollback', this.#seen(principal, to.ticket));
    return this.#record.exclusively('applying', async () => {
      const asked = 'ticket' in to ? hashBefore(index, this.#seen(principal, to.ticket)) : to.generation;
      const target = targetOf(index, asked);
      const { generation: about, hash } = target;
      if (!(await this.#mayTakeBack(principal, about))) {
        await this.#record.note('generation.refused', principal, about, { to: hash });
        throw this.#permissions.refuse(principal, 'rollback');
      }
      await this.#record.note('generation.rollback', principal, about, { to: hash });
      const done = rollBack(index, about, this.#now());
      await this.#record.note('generation.current', principal, about, { to: hash, from: done.from.hash });
      return { ...done, tickets: await this.settle(principal) };
    });
  }

  /** Whether the policy, where there is one, lets somebody take back every document that another generation has otherwise. */
  async #mayTakeBack(principal: Principal, generation: string): Promise<boolean> {
    if (this.#permissions.version === null) return true;
    const { index } = this.#workplace;
    const [now, then] = [await openIndex(index), await openIndex(index, generation)];
    const changed = changedBetween(now, then);
    const files = { ...filesIn(now, changed), ...filesIn(then, changed) };
    return changed.every((id) => this.#permissions.may(principal, 'rollback', id, files));
  }

  /**
   * After the index went back or forth to another generation: says of tickets whether they are in it. Gives those that changed.
   */
  async settle(principal: Principal): Promise<Ticket[]> {
    const now = await openIndex(this.#workplace.index);
    const stands = ({ implemented }: Ticket) => standsAs(now, implemented!.documents);
    const all = this.#store.tickets(['IMPLEMENTED', 'ROLLED_BACK']);
    const changed: Ticket[] = [];
    for (const ticket of all) {
      const stood = stands(ticket);
      // What a later ticket changed again was not taken back.
      const later = all.some(
        (other) =>
          Date.parse(other.implemented!.at) > Date.parse(ticket.implemented!.at) &&
          stands(other) &&
          touched(other).some((id) => touched(ticket).includes(id)),
      );
      if (ticket.state === 'IMPLEMENTED' && !stood && !later && ticket.implemented!.ended === null) {
        changed.push(await this.#record.step(principal, ticket, 'rollback'));
      } else if (ticket.state === 'ROLLED_BACK' && stood) {
        changed.push(await this.#record.step(principal, ticket, 'restore'));
      }
    }
    return changed;
  }

  #canaries(): Canary[] {
    return JSON.parse(this.#store.setting('canaries') ?? '[]') as Canary[];
  }

  async #mayAdminister(principal: Principal): Promise<void> {
    if (this.#permissions.mayAdminister(principal)) return;
    await this.#record.note('knowledge.refused', principal, '', { action: 'administer' });
    throw this.#permissions.refuse(principal, 'administer');
  }

  #now(): Date {
    return this.#record.now();
  }

  /** As it is, for this system. Throws NOT_FOUND where there is none that the principal may see. */
  #seen(principal: Principal, id: number): Ticket {
    const ticket = this.#store.ticket(id);
    if (ticket !== null && this.#permissions.maySee(principal, ticket)) return ticket;
    throw new PragauraError('NOT_FOUND', `There is no ticket ${id}.`, {
      hint: 'The list of tickets names those that there are.',
    });
  }

  /** As `TicketRecord.step`, for whoever takes it. */
  async #step(principal: Principal, looked: Ticket, step: TicketStep, change?: Change): Promise<Ticket> {
    return this.#shown(principal, await this.#record.step(principal, looked, step, change));
  }

  /** Of what was measured, counts too, what is in documents that the principal may read. */
  #shown(principal: Principal, ticket: Ticket): Ticket {
    const { assessment } = ticket;
    if (assessment === null) return ticket;
    const { contradictions, changed, files } = assessment;
    const readable = (docId: string) => this.#permissions.may(principal, 'read', docId, files);
    return {
      ...ticket,
      assessment: {
        ...assessment,
        contradictions: {
          ...contradictions,
          compared: contradictions.compared.filter(({ docId }) => readable(docId)),
          found: contradictions.found.filter(({ docId }) => readable(docId)),
        },
        changed: changed.filter(({ before, after: then }) =>
          [...before.quotes, ...then.quotes].every(({ docId }) => readable(docId)),
        ),
      },
    };
  }

  /** A ticket of the principal's own. Throws NOT_FOUND, and NOT_PERMITTED for another's. */
  #own(principal: Principal, id: number): Ticket {
    const ticket = this.#seen(principal, id);
    if (isSame(principal, ticket.proposer)) return ticket;
    throw new PragauraError('NOT_PERMITTED', `Ticket ${id} is ${ticket.proposer.id}'s to change.`);
  }

  /** A ticket that the principal may review, and whose documents nobody else has changed since: else it is in conflict. */
  async #reviewed(principal: Principal, id: number, version?: number): Promise<Ticket> {
    const ticket = this.#seen(principal, id);
    await this.#mustBeAllowed(principal, 'review', ticket);
    if (version !== undefined && version !== ticket.version) throw changedMeanwhile(id);
    const { state } = ticket;
    if (after(state, 'conflict') === null || isFresh(await openIndex(this.#workplace.index), ticket))
      return ticket;
    await this.#record.step(principal, ticket, 'conflict', { approvals: [] });
    throw movedOn(ticket);
  }

  /** Throws NOT_PERMITTED, once the try is on the log. */
  async #mustBeAllowed(principal: Principal, action: PolicyAction, ticket: Ticket): Promise<void> {
    if (this.#permissions.mayAll(principal, action, touched(ticket), ticket.files)) return;
    throw await this.#refusal(principal, action, String(ticket.id));
  }

  /** NOT_PERMITTED, once the try is on the log. */
  async #refusal(principal: Principal, action: PolicyAction, about: string): Promise<PragauraError> {
    await this.#record.note('ticket.refused', principal, about, { action });
    return this.#permissions.refuse(principal, action);
  }

  /** Checks a proposal and keeps its files. Throws NOT_PERMITTED, INVALID_INPUT, EMPTY_INPUT for an empty file, WRITE_FAILED. */
  async #content(principal: Principal, proposal: Proposal, ticket: string) {
    const { put = [], remove = [], proof = [], about = [], validFrom = null, validTo = null } = proposal;
    const claim = proposal.claim.replace(/\s+/g, ' ').trim();
    const problem = problemOf({ ...proposal, claim }, this.#now());
    if (problem !== null) throw new PragauraError('INVALID_INPUT', problem);
    checkedTogether(put.map(({ id }) => checkedId(id)));
    const names = put.map(({ id }) => id);
    const ids = [...names, ...remove];
    const now = await openIndex(this.#workplace.index);
    const files = filesIn(now, [...ids, ...about]);
    const mayPropose = (id: string, ofFiles = files) =>
      this.#permissions.may(principal, 'propose', id, ofFiles);
    // A record that its file alone hides is not there: it is ruled on by its id, as one that never was.
    const known = new Set(now.documents.map(({ docId }) => docId));
    const there = new Set([...remove, ...about].filter((id) => known.has(id) && mayPropose(id)));
    const meant = about.filter((id) => there.has(id));
    const allowed =
      names.every((id) => mayPropose(id)) && remove.every((id) => there.has(id) || mayPropose(id, {}));
    if (!allowed || ids.length + meant.length === 0) throw await this.#refusal(principal, 'propose', ticket);
    const keep = async (files: readonly { name: string; bytes: Uint8Array }[]) => {
      const kept: Ticket['put'] = [];
      for (const { name, bytes } of files) kept.push(await this.#store.keep(name, bytes));
      return kept;
    };
    const missing = remove.find((id) => !there.has(id));
    if (missing !== undefined) {
      throw new PragauraError('NOT_FOUND', `There is no document ${JSON.stringify(missing)} to take out.`);
    }
    const expires = proposal.expires ?? new Date(this.#now().getTime() + PROPOSAL_BOUNDS.days * DAY_MS);
    return {
      claim,
      about: meant,
      put: await keep(put.map(({ id, bytes }) => ({ name: id, bytes }))),
      remove: [...remove],
      proof: await keep(proof),
      files: filesIn(now, [...ids, ...meant]),
      base: statesIn(now, ids),
      validFrom: validFrom?.toISOString() ?? null,
      validTo: validTo?.toISOString() ?? null,
      expires: expires.toISOString(),
    };
  }
}
