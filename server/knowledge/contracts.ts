/** What is read of requests about tickets, and what is given. */
import { z } from 'zod';
import { ACTIONS, Difference, PROPOSAL_BOUNDS, STATES, Ticket } from '../../knowledge/index.ts';
import { NAMED, OfCollection } from '../contracts.ts';
import { withBytes } from '../documents/content.ts';

const Next = z.array(z.enum(ACTIONS));
/** `next`: what the caller can do about it. */
export const ShownTicket = Ticket.extend({ next: Next });
export const ListedTicket = Ticket.pick({
  id: true,
  version: true,
  state: true,
  claim: true,
  proposer: true,
  created: true,
  expires: true,
  validFrom: true,
}).extend({ next: Next });
export const TicketList = z.strictObject({
  /** How many have to approve, none of them the proposer. */
  approvals: z.number().int().min(1),
  tickets: z.array(ListedTicket),
  /** To go on behind the last of them; null: that was all. */
  after: z.number().int().nullable(),
});
/** `served`: questions are answered by the index that this led to. */
export const Changed = z.strictObject({ ticket: ShownTicket, served: z.boolean() });
export const Due = z.strictObject({
  tickets: z.array(
    z.strictObject({
      id: Ticket.shape.id,
      state: Ticket.shape.state,
      /** Why it is not done; null where it is. */
      trouble: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
    }),
  ),
  served: z.boolean(),
});
export const Differences = z.strictObject({ differences: z.array(Difference) });
export const Approvals = z.strictObject({ approvals: z.number().int().min(1).max(9) });

NAMED.add(ShownTicket, { id: 'Ticket' });

const { files, claim } = PROPOSAL_BOUNDS;
const docId = z.string().max(1024);
/** A day, from its beginning (UTC), or a moment. */
const Moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).transform((text) => new Date(text));
const PROPOSED = z.strictObject({
  /** What is so, in a sentence. */
  claim: z.string().max(claim),
  /** Documents as they are to be. */
  put: z
    .array(withBytes({ id: docId }))
    .max(files)
    .default([]),
  remove: z.array(docId).max(files).default([]),
  /** Files that bear the claim out. */
  proof: z
    .array(withBytes({ name: z.string().min(1).max(1024) }))
    .max(files)
    .default([]),
  /** Documents that it is about, where no text is proposed yet. */
  about: z.array(docId).max(files).default([]),
  from: Ticket.shape.from.optional(),
  validFrom: Moment.optional(),
  validTo: Moment.optional(),
  /** Left out: in 90 days. */
  expires: Moment.optional(),
});
const isAboutSomething = ({ put, remove, about }: z.output<typeof PROPOSED>) =>
  put.length + remove.length + about.length > 0;
const NOTHING = { message: 'Which documents is it about? Name one in "put", "remove" or "about".' };
export const Proposed = PROPOSED.refine(isAboutSomething, NOTHING);
/** `draft`: others are not asked to look at it yet. */
export const NewTicket = PROPOSED.extend({ draft: z.boolean().default(false) }).refine(
  isAboutSomething,
  NOTHING,
);
export const Review = z.strictObject({
  verdict: z.enum(['approve', 'reject']),
  because: z.string().trim().min(1).max(2000),
  /** Of the ticket that was looked at: what was changed since has to be looked at again. */
  version: Ticket.shape.version,
});
export const Schedule = z.strictObject({ at: Moment });

export const OfTicket = OfCollection.extend({ ticket: z.string().max(64) });
export const Listed = z.strictObject({
  state: z.union([z.enum(STATES), z.array(z.enum(STATES)).max(STATES.length)]).optional(),
  after: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
