/** Which decisions a change would change: the same questions, asked of the index as it is and as it would be. */
import { z } from 'zod';
import { recordParser } from '../../common/index.ts';
import { ACTIONS, type Decision, Query, type Router } from '../../router/index.ts';
import type { ChangedDecision, Outcome } from '../tickets/ticket.ts';

/** A question that is asked of every generation before it becomes the index. */
export const Canary = Query.extend({
  /** What has to come of it, whatever is changed; left out: what came of it before. */
  expect: z
    .strictObject({
      action: z.enum(ACTIONS).optional(),
      /** A document that has to be quoted. */
      docId: z.string().optional(),
      /** Words that have to stand in what is quoted. */
      text: z.string().optional(),
    })
    .optional(),
});
export type Canary = z.infer<typeof Canary>;

export const parseCanary = recordParser(
  Canary,
  'For example {"id": "deadline", "query": "When is the deadline?", "expect": {"docId": "docs/deadline.md"}}',
);

/** How a canary came out, before and after. */
export interface Replayed {
  canary: Canary;
  before: Outcome;
  after: Outcome;
}

export function outcomeOf({ action, answer, parts }: Decision): Outcome {
  const quotes = answer?.quotes ?? parts.flatMap((part) => part.answer?.quotes ?? []);
  return { action, quotes: quotes.map(({ docId, text }) => ({ docId, text })) };
}

const key = (outcome: Outcome) => JSON.stringify(outcome);

/** Asks all of both, one after the other. Throws as `Router.route` does. */
export async function replay(
  canaries: readonly Canary[],
  before: Router,
  after: Router,
): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for (const canary of canaries) {
    const { expect: _, ...query } = canary;
    const [old, fresh] = await Promise.all([before.route(query), after.route(query)]);
    replayed.push({ canary, before: outcomeOf(old), after: outcomeOf(fresh) });
  }
  return replayed;
}

export function changedOf(replayed: readonly Replayed[]): ChangedDecision[] {
  return replayed.flatMap(({ canary: { id, query }, before, after }) =>
    key(before) === key(after) ? [] : [{ id, query, before, after }],
  );
}

/**
 * What speaks against making it the index: an expectation that held and does not hold any more, and a change that was not on
 * the list that was approved.
 */
export function strayOf(replayed: readonly Replayed[], approved: readonly ChangedDecision[]): string[] {
  const known = new Set(approved.map(({ id, after }) => `${id}\n${key(after)}`));
  return replayed.flatMap(({ canary, before, after }) => {
    const name = `canary ${JSON.stringify(canary.id)}`;
    if (holds(canary, before) && !holds(canary, after)) return [`${name} does not come out as it has to`];
    if (key(before) === key(after) || known.has(`${canary.id}\n${key(after)}`)) return [];
    return [`${name} comes out otherwise, which nobody approved`];
  });
}

function holds({ expect = {} }: Canary, { action, quotes }: Outcome): boolean {
  return (
    (expect.action === undefined || expect.action === action) &&
    (expect.docId === undefined || quotes.some(({ docId }) => docId === expect.docId)) &&
    (expect.text === undefined || quotes.some(({ text }) => text.includes(expect.text!)))
  );
}
