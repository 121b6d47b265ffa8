/** A stream of queries over HTTP: lines in, lines out. */
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PragauraError, runRecords, toLine } from '../common/index.ts';
import { parseQuery } from '../router/commands/route-stream.ts';
import type { Query } from '../router/index.ts';
import type { App, Serving } from './app.ts';
import { WhichCollection } from './contracts.ts';
import { problems, security } from './requests.ts';

/** Lines of a stream in flight at most, as `route` has it. */
const WINDOW = 16;

const NDJSON = 'application/x-ndjson';

/** Adds the path for streams. */
export function addDecisionStream(app: App, serving: Serving): void {
  // A scope of its own, in which a body is a stream of lines and nothing else.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(NDJSON, (_, payload, done) => done(null, payload));
    scope.withTypeProvider<ZodTypeProvider>().post(
      '/v1/decisions::stream',
      {
        config: { scope: 'decide', streams: true },
        bodyLimit: Number.MAX_SAFE_INTEGER,
        schema: {
          operationId: 'decideStream',
          summary: 'Decide a stream of queries',
          description:
            'One JSON query a line in, one decision or error record a line out, in order, as they are made. No more is read ' +
            'than is decided and taken. A last line with the code ABORTED says that lines were left.',
          security,
          consumes: [NDJSON],
          querystring: WhichCollection,
          response: {
            200: {
              description: 'Decisions and error records',
              content: { [NDJSON]: { schema: z.string() } },
            },
            ...problems,
          },
        },
      },
      (request, reply) => decideStream(serving, request, reply),
    );
  });
}

async function decideStream(serving: Serving, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Without a body there is nothing to be read.
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const { service, metrics, door, streams } = serving;
  const { draining } = service;
  const lease = await service.collections.lease(
    (request.query as { collection?: string }).collection,
    request.caller,
  );
  const decider = service.decider(lease, request.caller);
  // One of its own: that nothing more is read must not close the socket that decisions go out by.
  const input = body.pipe(new PassThrough());
  body.once('error', (error) => input.destroy(error));
  body.once('close', () => {
    if (!body.readableEnded) input.destroy();
  });
  const output = reply.raw;
  const stop = new AbortController();
  const end = () => stop.abort();
  draining.addEventListener('abort', end, { once: true });
  if (draining.aborted) end();
  let refused: PragauraError | null = null;
  reply.hijack();
  streams.add(request);
  output.writeHead(200, {
    'content-type': `${NDJSON}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
    connection: 'close',
  });
  output.flushHeaders();
  try {
    await runRecords<Query>({
      input,
      output,
      window: WINDOW,
      signal: stop.signal,
      maxLineBytes: serving.maxBodyBytes,
      parse: parseQuery,
      process: async (query, signal) => {
        try {
          // A key that was revoked since decides nothing more.
          const caller = await door.admit(request.headers.authorization);
          const decide = (own: AbortSignal) => decider.route(query, { signal: own });
          return await service.inTurn(caller, signal, decide, true);
        } catch (error) {
          const code = PragauraError.isInstance(error) ? error.code : 'INTERNAL';
          metrics.problem(code);
          if (code === 'TOKEN_REFUSED') {
            refused ??= error as PragauraError;
            end();
          }
          throw error;
        }
      },
    });
    const left = refused ?? draining.reason;
    if (stop.signal.aborted && left !== undefined && !output.destroyed) {
      const error = { ...(left as PragauraError).toJSON(), hint: 'Send the lines without a record again.' };
      output.write(toLine({ schema: 'pragaura.error/1', id: null, line: null, error }));
    }
    // What is not read any more must still be taken off the wire: closed over it, the socket would drop the answer.
    body.unpipe(input).resume();
    output.end();
  } catch (error) {
    // The caller broke off; there is nobody to tell.
    service.log.debug('stream.broken', {
      request: request.id,
      code: PragauraError.isInstance(error) ? error.code : 'INTERNAL',
    });
    output.destroy();
  } finally {
    draining.removeEventListener('abort', end);
    streams.delete(request);
    lease.release();
  }
}
