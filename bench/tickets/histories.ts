/** `pragaura bench tickets`: tickets against a plain model of them, in histories of many people, interleaved, on one index. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PragauraError, type Random, seededRandom } from '../../common/index.ts';
import { openIndex } from '../../corpus/index.ts';
import { AuditLog, ensureSigningKey, type PolicyAction, type Principal } from '../../governance/index.ts';
import { after, Knowledge, type TicketState } from '../../knowledge/index.ts';
import type { Scorers } from '../../scorers/index.ts';
import { accessOf, atFirst, DOCUMENTS, indexOf, mayByRole, PEOPLE, textOf } from './world.ts';

const DAY_MS = 86_400_000;

export interface TicketHistories {
  histories: number;
  operations: number;
  /** By what came of them. */
  outcomes: Record<string, number>;
  implemented: number;
  /** What came of a step that the model has otherwise. */
  differences: string[];
  /** The index changed although nothing that was approved was applied, or into something else. */
  unauthorised: string[];
}

/** What the model knows of a ticket. */
interface Known {
  id: number;
  proposer: Principal;
  docId: string;
  /** Null: the document is to go. */
  text: string | null;
  base: string | undefined;
  state: TicketState;
  approvals: Set<string>;
  from: number | null;
}

const OPERATIONS = [
  ...(['propose', 'propose', 'submit', 'triage', 'approve', 'reject', 'withdraw'] as const),
  ...(['amend', 'schedule', 'apply', 'apply', 'due', 'wait'] as const),
];
type Operation = (typeof OPERATIONS)[number];

/** What leads on; steps are drawn among these more often than not, and by somebody who may, so that histories get somewhere. */
const ONWARD: Partial<Record<TicketState, readonly Operation[]>> = {
  DRAFT: ['submit'],
  SUBMITTED: ['triage'],
  TRIAGED: ['approve'],
  UNDER_REVIEW: ['approve'],
  APPROVED: ['apply', 'apply', 'schedule'],
  SCHEDULED: ['wait', 'due'],
  CONFLICT: ['amend'],
};
const SHARE_ONWARD = 0.7;
const NEEDS: Partial<Record<Operation, PolicyAction>> = {
  triage: 'review',
  approve: 'review',
  schedule: 'schedule',
  apply: 'apply',
  due: 'apply',
};

export async function runTicketHistories(
  histories: number,
  seed: number,
  scorers: Scorers,
  { signal, told }: { signal: AbortSignal; told: (done: number) => void },
  length = 16,
): Promise<TicketHistories> {
  const report: TicketHistories = {
    histories,
    operations: 0,
    outcomes: {},
    implemented: 0,
    differences: [],
    unauthorised: [],
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'pragaura-tickets-'));
  try {
    const first = await indexOf(path.join(folder, 'first'), scorers);
    for (let i = 0; i < histories; i += 1) {
      if (signal.aborted) throw new PragauraError('ABORTED', 'Interrupted.');
      const index = path.join(folder, 'index');
      await cp(first, index, { recursive: true });
      await history(index, seededRandom(seed + i), length, scorers, report);
      await rm(index, { recursive: true, force: true });
      told(i + 1);
    }
    return report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function history(
  index: string,
  random: Random,
  length: number,
  scorers: Scorers,
  report: TicketHistories,
): Promise<void> {
  let now = Date.UTC(2026, 0, 1);
  const log = await AuditLog.open({ file: `${index}.log`, key: ensureSigningKey(`${index}.key`) });
  const open = () =>
    Knowledge.open({
      index,
      access: accessOf(),
      log,
      scorers: async () => scorers,
      clock: () => new Date(now),
    });
  const openings = [await open(), await open()];
  const documents = atFirst();
  const tickets: Known[] = [];
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const may = (who: Principal, action: PolicyAction, id: string) =>
    mayByRole(who, 'read', id) && mayByRole(who, action, id);
  const isOwn = (who: Principal, { proposer }: Known) =>
    who.via !== 'none' && who.via === proposer.via && who.id === proposer.id;
  const sees = (who: Principal, ticket: Known) =>
    isOwn(who, ticket) ||
    (['review', 'schedule', 'apply', 'rollback'] as const).some((action) => may(who, action, ticket.docId));
  const moved = ({ docId, base }: Known) => documents.get(docId) !== base;

  /** What the model says of a step, taken in the model where it can be. */
  const wanted = {
    own: (who: Principal, ticket: Known) =>
      !sees(who, ticket) ? 'NOT_FOUND' : isOwn(who, ticket) ? null : 'NOT_PERMITTED',
    allowed: (who: Principal, ticket: Known, action: PolicyAction) =>
      !sees(who, ticket) ? 'NOT_FOUND' : may(who, action, ticket.docId) ? null : 'NOT_PERMITTED',
    fresh: (ticket: Known) => {
      if (after(ticket.state, 'conflict') === null || !moved(ticket)) return null;
      ticket.state = 'CONFLICT';
      ticket.approvals.clear();
      return 'CONFLICT';
    },
    leads: (ticket: Known, step: Parameters<typeof after>[1]) => {
      const state = after(ticket.state, step);
      if (state === null) return 'CONFLICT';
      ticket.state = state;
      return 'done';
    },
    applied: (ticket: Known) => {
      if (after(ticket.state, 'apply') === null) return 'CONFLICT';
      if (ticket.from !== null && ticket.from > now) return 'CONFLICT';
      const stale = wanted.fresh(ticket);
      if (stale !== null) return stale;
      ticket.state = 'IMPLEMENTED';
      if (ticket.text === null) documents.delete(ticket.docId);
      else documents.set(ticket.docId, ticket.text);
      report.implemented += 1;
      return 'done';
    },
  };

  try {
    for (let step = 0; step < length; step += 1) {
      // Mostly the last ones.
      const ticket = tickets.length === 0 ? null : random() < 0.7 ? tickets.at(-1)! : one(tickets);
      const onward = random() < SHARE_ONWARD ? ticket && ONWARD[ticket.state] : null;
      const operation: Operation = one(onward ?? (ticket === null ? ['propose'] : OPERATIONS));
      if (operation === 'wait') {
        now += Math.floor(random() * 3) * DAY_MS;
        continue;
      }
      const needs = NEEDS[operation];
      const able =
        (ticket &&
          onward &&
          (needs ? PEOPLE.filter((each) => may(each, needs, ticket.docId)) : [ticket.proposer])) ||
        PEOPLE;
      const who = one(able);
      const knowledge = one(openings);
      let expected: string;
      let work: () => Promise<unknown>;
      const docId = one(DOCUMENTS);
      const text =
        random() < 0.15 ? null : textOf(docId, `by ${who.id} at ${step}: ${Math.floor(random() * 1e6)}`);
      const proposal = {
        claim: `${docId} says something else.`,
        put: text === null ? [] : [{ id: docId, bytes: Buffer.from(text) }],
        remove: text === null ? [docId] : [],
      };
      const content = { docId, text, base: documents.get(docId), from: null };
      const proposed = () =>
        !may(who, 'propose', docId)
          ? 'NOT_PERMITTED'
          : text === null && !documents.has(docId)
            ? 'NOT_FOUND'
            : 'done';
      const { id } = ticket ?? { id: 0 };
      if (operation === 'propose') {
        expected = proposed();
        work = async () => {
          const { id: number } = await knowledge.propose(who, proposal);
          tickets.push({ id: number, proposer: who, state: 'DRAFT', approvals: new Set(), ...content });
        };
      } else if (operation === 'due') {
        const due = tickets.filter(({ state, from }) => state === 'SCHEDULED' && from! <= now);
        for (const each of due) if (sees(who, each) && may(who, 'apply', each.docId)) wanted.applied(each);
        expected = 'done';
        work = () => knowledge.applyDue(who);
      } else {
        const known = ticket!;
        switch (operation) {
          case 'submit':
            expected = wanted.own(who, known) ?? wanted.leads(known, 'submit');
            work = () => knowledge.submit(who, id);
            break;
          case 'withdraw':
            expected = wanted.own(who, known) ?? wanted.leads(known, 'withdraw');
            work = () => knowledge.withdraw(who, id);
            break;
          case 'amend': {
            const own = wanted.own(who, known) ?? (proposed() === 'done' ? null : proposed());
            expected = own ?? wanted.leads(known, 'amend');
            if (expected === 'done') Object.assign(known, content).approvals.clear();
            work = () => knowledge.amend(who, id, proposal);
            break;
          }
          case 'triage':
            expected =
              wanted.allowed(who, known, 'review') ?? wanted.fresh(known) ?? wanted.leads(known, 'triage');
            if (expected === 'done') known.approvals.clear();
            work = () => knowledge.triage(who, id);
            break;
          case 'approve': {
            const refused =
              who.via === 'none' || who.id === known.proposer.id || known.approvals.has(who.id)
                ? 'NOT_PERMITTED'
                : null;
            const step = known.approvals.size >= 1 ? 'approve' : 'endorse';
            expected =
              wanted.allowed(who, known, 'review') ??
              wanted.fresh(known) ??
              refused ??
              wanted.leads(known, step);
            if (expected === 'done') known.approvals.add(who.id);
            work = () => knowledge.approve(who, id, '');
            break;
          }
          case 'reject':
            expected =
              wanted.allowed(who, known, 'review') ?? wanted.fresh(known) ?? wanted.leads(known, 'reject');
            work = () => knowledge.reject(who, id, 'no');
            break;
          case 'schedule': {
            const at = now + Math.floor(random() * 4) * DAY_MS;
            expected = wanted.allowed(who, known, 'schedule') ?? wanted.leads(known, 'schedule');
            if (expected === 'done') known.from = at;
            work = () => knowledge.schedule(who, id, new Date(at));
            break;
          }
          case 'apply':
            expected = wanted.allowed(who, known, 'apply') ?? wanted.applied(known);
            work = () => knowledge.apply(who, id);
            break;
        }
      }
      const outcome = await outcomeOf(work);
      report.operations += 1;
      report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
      const what = `${operation} of ticket ${id} by ${who.id} (${who.via})`;
      if (outcome !== expected) report.differences.push(`${what}: ${outcome}, and ${expected} by the model`);
      const states = (openings[0]!.tickets(PEOPLE[7]!) ?? []).map((each) => each.state);
      const known = tickets.map(({ state }) => state);
      if (String(states) !== String(known))
        report.differences.push(`${what}: ${states}, and ${known} by the model`);
      const there = await textsIn(index);
      if (JSON.stringify(there) !== JSON.stringify([...documents].sort(byId))) {
        report.unauthorised.push(`${what}: ${JSON.stringify(there)}`);
      }
      if (report.differences.length + report.unauthorised.length > 0) return;
    }
  } finally {
    for (const each of openings) each.close();
    await log.close();
    for (const end of ['log', 'key']) await rm(`${index}.${end}`, { force: true });
  }
}

const byId = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (PragauraError.isInstance(error)) return error.code;
    throw error;
  }
}

/** Documents with their texts, as they stood in the files. */
async function textsIn(index: string): Promise<[string, string][]> {
  const { documents, passages } = await openIndex(index);
  return documents
    .map(({ docId, first }) => [docId, `# ${docId}\n\n${passages[first]!.text}\n`] as [string, string])
    .sort(byId);
}
