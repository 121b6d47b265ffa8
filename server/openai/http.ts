/** The paths of OpenAI's clients. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type App, failed, type Serving } from '../app.ts';
import { EVENT_STREAM } from '../events.ts';
import { problems, security, send } from '../requests.ts';
import { completeChat } from './chat.ts';
import { ChatBody, ResponseBody, WithDecision } from './contracts.ts';
import { respond } from './responses.ts';
import { toldOf } from './told.ts';

/** Adds them. */
export function addOpenAi(app: App, serving: Serving): void {
  app.register(async (plain) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>();
    // Their clients look for a member `error`, which is no hindrance to those who read problems.
    scope.setErrorHandler((error, request, reply) =>
      failed(serving, error, request, reply, (problem) => ({ error: toldOf(problem) })),
    );
    scope.addHook('preHandler', async ({ raw }) => {
      // A language model may take its time, which has limits of its own.
      if (serving.writer !== null) raw.socket.setTimeout(0);
    });
    const config = { scope: 'decide' as const };
    const turn = <B extends z.ZodType>(
      path: string,
      about: { operationId: string; summary: string; description: string; body: B; gives: string },
      answer: (
        serving: Serving,
        request: FastifyRequest,
        reply: FastifyReply,
        body: z.output<B>,
      ) => Promise<void>,
    ) => {
      const { gives, ...schema } = about;
      const content = {
        'application/json': { schema: WithDecision },
        [EVENT_STREAM]: { schema: z.string() },
      };
      const response = { 200: { description: gives, content }, ...problems };
      scope.post(path, { config, schema: { ...schema, security, response } }, async (request, reply) => {
        await answer(serving, request, reply, request.body as z.output<B>);
        return reply;
      });
    };
    turn(
      '/v1/chat/completions',
      {
        operationId: 'completeChat',
        summary: 'A turn of a chat, as OpenAI has it',
        description:
          'Decided first; `pragaura` has the decision, of a stream in its last chunk with a choice.',
        body: ChatBody,
        gives: 'A chat completion',
      },
      completeChat,
    );
    turn(
      '/v1/responses',
      {
        operationId: 'respond',
        summary: 'A response, as OpenAI has it',
        description: 'Decided first; `pragaura` has the decision, of a stream in `response.completed`.',
        body: ResponseBody,
        gives: 'A response',
      },
      respond,
    );
    scope.get(
      '/v1/models',
      { config, schema: { operationId: 'listModels', summary: 'The collections, as models', security } },
      async (request, reply) => {
        const data = serving.service.collections
          .names(request.caller)
          .map((name) => ({ id: name, object: 'model', created: 0, owned_by: 'pragaura' }));
        return send(reply, { object: 'list', data });
      },
    );
  });
}
