/** What the paths share: how a body becomes a query, a caller's leaving an end of their work, and a record an answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { toLine } from '../common/index.ts';
import { Problem } from './problems.ts';
import { callerGone } from './service.ts';

export const security = [{ bearer: [] }];
export const problems = {
  default: { description: 'A problem', content: { 'application/problem+json': { schema: Problem } } },
};
export const gives = (schema: z.ZodType, description: string) => ({
  200: { description, content: { 'application/json': { schema } } },
  ...problems,
});

/** A record as a line, as it stands in a stream. */
export function send(reply: FastifyReply, record: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(toLine(record));
}

/** The body by the contract of a stream; without an id it is called after its request. */
export function withId<T>(
  request: FastifyRequest,
  body: unknown,
  parse: (value: unknown, line: number) => T,
): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return parse(body, 1);
  const { id = null } = body as { id?: unknown };
  return parse({ ...body, id: id === null ? request.id : typeof id === 'number' ? String(id) : id }, 1);
}

/** Fires when the caller goes away before the answer is out. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const onClose = () => {
    if (!raw.writableFinished) gone.abort(callerGone());
  };
  raw.once('close', onClose);
  if (raw.destroyed) onClose();
  return gone.signal;
}
