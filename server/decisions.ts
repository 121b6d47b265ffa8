/** One decision over HTTP, whole or with its stages as they finish. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseQuery } from '../router/commands/route-stream.ts';
import { Decision, type Query } from '../router/index.ts';
import { type App, notedProblem, type Serving } from './app.ts';
import { QueryBody, WhichCollection } from './contracts.ts';
import { EVENT_STREAM, EventStream } from './events.ts';
import { problems, security, send, untilGone, withId } from './requests.ts';

/** Adds the path for one decision. */
export function addDecisions(app: App, serving: Serving): void {
  const { service } = serving;
  app.post(
    '/v1/decisions',
    {
      config: { scope: 'decide' },
      schema: {
        operationId: 'decide',
        summary: 'Decide one query',
        description:
          'The decision is that of `pragaura route`, byte for byte (timings aside). Who accepts `text/event-stream` alone ' +
          'gets the stages as they finish.',
        security,
        querystring: WhichCollection,
        body: QueryBody,
        response: {
          200: {
            description: 'An answer, a question back, or why not',
            content: {
              'application/json': { schema: Decision },
              [EVENT_STREAM]: {
                schema: z
                  .string()
                  .describe(
                    'Events `act`, `retrieval` and `signals`, whose data is a StageReport, each as often as the query is ' +
                      'routed and none that is not reached; last `decision`, whose data is the Decision, or `error`, whose ' +
                      'data is a Problem. What goes wrong before the first event is a problem with a status, as elsewhere.',
                  ),
              },
            },
          },
          ...problems,
        },
      },
    },
    async (request, reply) => {
      const query = withId(request, request.body, parseQuery);
      const { collection } = request.query;
      if (wantsEvents(request)) return decideInStages(serving, request, reply, { query, collection });
      const { decision } = await service.decide(request.caller, collection, query, {
        signal: untilGone(reply),
      });
      return send(reply, decision);
    },
  );
}

function wantsEvents({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes(EVENT_STREAM) && !accept.includes('application/json');
}

async function decideInStages(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, collection }: { query: Query; collection: string | undefined },
): Promise<FastifyReply> {
  const events = new EventStream(reply);
  try {
    const { decision } = await serving.service.decide(request.caller, collection, query, {
      signal: untilGone(reply),
      observe: (report) => events.send(report, report.stage),
    });
    events.send(decision, 'decision');
  } catch (error) {
    if (!events.begun) throw error;
    events.send(notedProblem(serving, error, request), 'error');
  }
  events.end();
  return reply;
}
