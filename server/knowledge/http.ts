/** Tickets over HTTP: each step for the person who takes it, by the rules of `Knowledge`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PragauraError } from '../../common/index.ts';
import type { Principal } from '../../governance/index.ts';
import { type Knowledge, type Proposal, STATES, type Ticket } from '../../knowledge/index.ts';
import type { App, Serving } from '../app.ts';
import { OfCollection } from '../contracts.ts';
import { bytesOf } from '../documents/content.ts';
import { gives, problems, security, send, untilGone } from '../requests.ts';
import {
  Approvals,
  Changed,
  Differences,
  Due,
  Listed,
  type ListedTicket,
  NewTicket,
  OfTicket,
  Proposed,
  Review,
  Schedule,
  ShownTicket,
  TicketList,
} from './contracts.ts';
import type { Tickets } from './tickets.ts';

const ALL = '/v1/collections/:collection/tickets';
const ONE = `${ALL}/:ticket`;
const config = { scope: 'decide' } as const;

type Request<P = z.infer<typeof OfCollection>> = FastifyRequest & { params: P };

/** Adds their paths. */
export function addTickets(app: App, { service, tickets }: Serving): void {
  const kept = (): Tickets => {
    if (tickets !== null) return tickets;
    throw new PragauraError('NOT_FOUND', 'This server has no tickets.', {
      hint: 'Start it with --writable, --policy-file and --audit.',
    });
  };
  const use = <T>(
    { caller, params }: Pick<FastifyRequest, 'caller'> & { params: z.infer<typeof OfCollection> },
    reply: FastifyReply,
    work: (knowledge: Knowledge, who: Principal) => Promise<T> | T,
  ) => kept().use(caller, params.collection, untilGone(reply), work);
  /** A step that the caller takes: gives the ticket as it is then. */
  const taking = async (
    request: Pick<FastifyRequest, 'caller'> & { params: z.infer<typeof OfTicket> },
    reply: FastifyReply,
    take: (knowledge: Knowledge, who: Principal, id: number) => Promise<Ticket>,
  ) =>
    send(
      reply,
      await use(request, reply, async (knowledge, who) =>
        shown(await take(knowledge, who, idOf(request)), knowledge, who),
      ),
    );

  app.get(
    ALL,
    {
      config,
      schema: {
        operationId: 'listTickets',
        summary: 'The tickets that the caller may see, the oldest first',
        security,
        params: OfCollection,
        querystring: Listed,
        response: gives(TicketList, 'So many of them'),
      },
    },
    async (request, reply) => {
      const { state, after, limit } = request.query;
      const list = await use(request, reply, (knowledge, who) => {
        const all = knowledge.tickets(who);
        const last = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
        if (after !== undefined && last === -1) throw notThere(after);
        const states = typeof state === 'string' ? [state] : (state ?? STATES);
        const rest = all.slice(last + 1).filter((ticket) => states.includes(ticket.state));
        const shown = rest.slice(0, limit);
        return {
          approvals: knowledge.approvals,
          tickets: shown.map((ticket) => listed(ticket, knowledge, who)),
          after: rest.length > limit ? shown.at(-1)!.id : null,
        };
      });
      return send(reply, list);
    },
  );
  app.post(
    ALL,
    {
      config,
      schema: {
        operationId: 'propose',
        summary: 'Propose another text for documents, or that they go',
        description:
          'Nothing is changed by a proposal: others measure it, approve it and apply it. Without a document that is put or ' +
          'removed it is a draft.',
        security,
        params: OfCollection,
        body: NewTicket,
        response: gives(ShownTicket, 'The ticket'),
      },
    },
    async (request, reply) => {
      const { draft, ...proposed } = request.body;
      const ticket = await use(request, reply, async (knowledge, who) => {
        const made = await knowledge.propose(who, proposalOf(proposed));
        const ready = !draft && made.put.length + made.remove.length > 0;
        return shown(ready ? await knowledge.submit(who, made.id) : made, knowledge, who);
      });
      return send(reply, ticket);
    },
  );
  app.get(
    ONE,
    {
      config,
      schema: {
        operationId: 'getTicket',
        summary: 'A ticket, with what was measured and what became of it',
        security,
        params: OfTicket,
        response: gives(ShownTicket, 'All that the caller may see of it'),
      },
    },
    async (request, reply) => {
      const ticket = await use(request, reply, async (knowledge, who) => {
        const found = knowledge.ticket(who, idOf(request));
        await noteRead(request, found.id);
        return shown(found, knowledge, who);
      });
      return send(reply, ticket);
    },
  );
  app.put(
    ONE,
    {
      config,
      schema: {
        operationId: 'amendTicket',
        summary: 'Another text, or other proof, in the place of what was proposed; it is a draft again',
        security,
        params: OfTicket,
        body: Proposed,
        response: gives(ShownTicket, 'The ticket'),
      },
    },
    async (request, reply) => {
      const proposal = proposalOf(request.body);
      return taking(request, reply, (knowledge, who, id) => knowledge.amend(who, id, proposal));
    },
  );
  app.get(
    `${ONE}/diff`,
    {
      config,
      schema: {
        operationId: 'diffTicket',
        summary: 'Old and new text of its documents, sentence by sentence',
        security,
        params: OfTicket,
        response: gives(Differences, 'What would stand there'),
      },
    },
    async (request, reply) => {
      const differences = await use(request, reply, async (knowledge, who) => {
        const found = await knowledge.differences(who, idOf(request));
        await noteRead(request, idOf(request));
        return found;
      });
      return send(reply, { differences });
    },
  );
  app.get(
    `${ONE}/proof/:sha256`,
    {
      config,
      schema: {
        operationId: 'getProof',
        summary: 'A file that bears the claim out, as it came',
        security,
        params: OfTicket.extend({ sha256: z.string().max(64) }),
        response: {
          200: { description: 'The file', content: { 'application/octet-stream': { schema: z.string() } } },
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const { bytes } = await use(request, reply, async (knowledge, who) => {
        const found = await knowledge.proof(who, idOf(request), request.params.sha256);
        await noteRead(request, idOf(request));
        return found;
      });
      // Whatever it is, no browser is to show it as a page of this server.
      return reply
        .type('application/octet-stream')
        .header('content-disposition', 'attachment')
        .send(bytes as never);
    },
  );

  /** A step without a body. */
  const step = (
    name: 'submit' | 'withdraw' | 'triage',
    operationId: string,
    summary: string,
    description?: string,
  ) =>
    app.post(
      `${ONE}/${name}`,
      {
        config,
        schema: {
          operationId,
          summary,
          ...(description && { description }),
          security,
          params: OfTicket,
          response: gives(ShownTicket, 'The ticket'),
        },
      },
      async (request, reply) => {
        return taking(request, reply, (knowledge, who, id) => knowledge[name](who, id));
      },
    );
  step('submit', 'submitTicket', 'Ask others to look at a draft');
  step('withdraw', 'withdrawTicket', "Take a proposal of the caller's own back");
  step(
    'triage',
    'triageTicket',
    'Measure what a change would do',
    'Trust, contradictions with what the documents say, passages that go and come, canaries that would come out otherwise. It decides nothing.',
  );
  app.post(
    `${ONE}/review`,
    {
      config,
      schema: {
        operationId: 'reviewTicket',
        summary: 'Approve or reject a ticket, and say why',
        security,
        params: OfTicket,
        body: Review,
        response: gives(ShownTicket, 'The ticket'),
      },
    },
    async (request, reply) => {
      const { verdict, because, version } = request.body;
      return taking(request, reply, (knowledge, who, id) => knowledge[verdict](who, id, because, version));
    },
  );
  app.post(
    `${ONE}/schedule`,
    {
      config,
      schema: {
        operationId: 'scheduleTicket',
        summary: 'An embargo: nothing of it is in the index before',
        security,
        params: OfTicket,
        body: Schedule,
        response: gives(ShownTicket, 'The ticket'),
      },
    },
    async (request, reply) => {
      return taking(request, reply, (knowledge, who, id) => knowledge.schedule(who, id, request.body.at));
    },
  );

  /** A step that makes another generation the index. */
  const change = (
    name: 'apply' | 'rollback',
    operationId: string,
    summary: string,
    run: (knowledge: Knowledge, who: Principal, id: number) => Promise<string>,
  ) =>
    app.post(
      `${ONE}/${name}`,
      {
        config,
        schema: {
          operationId,
          summary,
          security,
          params: OfTicket,
          response: gives(Changed, 'The ticket, and whether questions are answered by it'),
        },
      },
      async (request, reply) => {
        const changed = await use(request, reply, async (knowledge, who) => {
          const id = idOf(request);
          const hash = await run(knowledge, who, id);
          const served = await kept().isServed(request.params.collection, hash);
          return { ticket: shown(knowledge.ticket(who, id), knowledge, who), served };
        });
        return send(reply, changed);
      },
    );
  change('apply', 'applyTicket', 'Make an approved change', async (knowledge, who, id) => {
    const { implemented } = await knowledge.apply(who, id);
    return implemented!.index;
  });
  change(
    'rollback',
    'rollBackTicket',
    'The index as it was before a ticket, as long as that is its last update',
    async (knowledge, who, id) => (await knowledge.rollBack(who, { ticket: id })).to.hash,
  );
  app.post(
    `${ALL}::due`,
    {
      config,
      schema: {
        operationId: 'applyDueTickets',
        summary: 'Apply what is due, take out what is valid no longer, expire what nobody decided on',
        description: 'For a timer, with a token that may apply.',
        security,
        params: OfCollection,
        response: gives(Due, 'The tickets that it was about'),
      },
    },
    async (request, reply) => {
      const { collection } = request.params;
      const due = await use(request, reply, async (knowledge, who) => {
        const done = await knowledge.applyDue(who);
        return {
          tickets: done.map(({ ticket: { id, state }, error }) => ({
            ...{ id, state },
            trouble: error === null ? null : { code: error.code, detail: error.message },
          })),
          served: await kept().isServed(collection, knowledge.indexHash),
        };
      });
      return send(reply, due);
    },
  );
  app.get(
    '/v1/collections/:collection/approvals',
    {
      config,
      schema: {
        operationId: 'getApprovals',
        summary: 'How many have to approve, none of them the proposer',
        security,
        params: OfCollection,
        response: gives(Approvals, 'So many'),
      },
    },
    async (request, reply) => send(reply, await use(request, reply, ({ approvals }) => ({ approvals }))),
  );
  app.put(
    '/v1/collections/:collection/approvals',
    {
      config,
      schema: {
        operationId: 'requireApprovals',
        summary: 'Another number of them, from those who may administer',
        security,
        params: OfCollection,
        body: Approvals,
        response: gives(Approvals, 'So many'),
      },
    },
    async (request, reply) => {
      const { approvals } = request.body;
      const now = await use(request, reply, async (knowledge, who) => {
        await knowledge.requireApprovals(who, approvals);
        return { approvals: knowledge.approvals };
      });
      return send(reply, now);
    },
  );

  /** That somebody is about to be given its words. Throws AUDIT_FAILED: then they are not. */
  const noteRead = ({ caller, params }: Request, id: number) =>
    service.record({
      kind: 'ticket.read',
      by: caller.actor,
      about: String(id),
      detail: { collection: params.collection },
    });
}

/** What is no number is one that no ticket has. */
function idOf({ params }: { params: z.infer<typeof OfTicket> }): number {
  if (/^[1-9]\d{0,14}$/.test(params.ticket)) return Number(params.ticket);
  throw notThere(params.ticket);
}

const notThere = (id: number | string) =>
  new PragauraError('NOT_FOUND', `There is no ticket ${JSON.stringify(id)}.`, {
    hint: 'The list of tickets names those that there are.',
  });

function shown(ticket: Ticket, knowledge: Knowledge, who: Principal): z.infer<typeof ShownTicket> {
  return { ...ticket, next: knowledge.next(who, ticket) };
}

function listed(ticket: Ticket, knowledge: Knowledge, who: Principal): z.infer<typeof ListedTicket> {
  const { id, version, state, claim, proposer, created, expires, validFrom } = ticket;
  return {
    id,
    version,
    state,
    claim,
    proposer,
    created,
    expires,
    validFrom,
    next: knowledge.next(who, ticket),
  };
}

function proposalOf({ put, proof, ...rest }: z.output<typeof Proposed>): Proposal {
  const { validFrom, validTo, expires, from, ...said } = rest;
  return {
    ...said,
    put: put.map((file) => ({ id: file.id, bytes: bytesOf(file) })),
    proof: proof.map((file) => ({ name: file.name, bytes: bytesOf(file) })),
    ...(from && { from }),
    ...(validFrom && { validFrom }),
    ...(validTo && { validTo }),
    ...(expires && { expires }),
  };
}
