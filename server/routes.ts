/** What each path of the server does. */
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { PragauraError, parseAs, runRecords, toLine } from '../common/index.ts';
import { AnswerToVerify, verifyAnswer } from '../generation/index.ts';
import { parseQuery } from '../router/commands/route-stream.ts';
import { Decision, type Query } from '../router/index.ts';
import { NliPair, QueryPair, scoreNli, scoreRead, scoreRerank } from '../scorers/commands/score-stream.ts';
import type { App, Serving } from './app.ts';
import type { Caller } from './callers.ts';
import {
  ActRecord,
  ClassifyBody,
  CollectionList,
  Health,
  NliBody,
  NliRecord,
  PairBody,
  QueryBody,
  Ranking,
  ReadRecord,
  RerankRecord,
  RetrieveBody,
  VerificationRecord,
  VerifyBody,
  WhichCollection,
} from './contracts.ts';
import { Problem } from './problems.ts';

/** Lines of a stream in flight at most, as `route` has it. */
const WINDOW = 16;

const NDJSON = 'application/x-ndjson';
const security = [{ bearer: [] }];
const problems = {
  default: { description: 'A problem', content: { 'application/problem+json': { schema: Problem } } },
};
const gives = (schema: z.ZodType, description: string) => ({
  200: { description, content: { 'application/json': { schema } } },
  ...problems,
});

/** Adds all paths. */
export function addRoutes(app: App, serving: Serving): void {
  addDecisions(app, serving);
  addParts(app, serving);
  addState(app, serving);
}

function addDecisions(app: App, serving: Serving): void {
  const { collections } = serving;
  app.post(
    '/v1/decisions',
    {
      config: { scope: 'decide' },
      schema: {
        summary: 'Decide one query',
        description: 'The decision is that of `pragaura route`, byte for byte (timings aside).',
        security,
        querystring: WhichCollection,
        body: QueryBody,
        response: gives(Decision, 'An answer, a question back, or why not'),
      },
    },
    async (request, reply) => {
      const query = withId(request, request.body, parseQuery);
      const lease = collections.lease(request.query.collection, request.caller);
      try {
        const decider = serving.decider(lease.router, request.caller);
        const decision = await work(serving, request, reply, (signal) => decider.route(query, { signal }));
        serving.metrics.decided(decision);
        return send(reply, decision);
      } finally {
        lease.release();
      }
    },
  );
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

/** The parts that decisions are made of, each alone. */
function addParts(app: App, serving: Serving): void {
  const { collections, scorers } = serving;
  app.post(
    '/v1/retrieve',
    {
      config: { scope: 'retrieve' },
      schema: {
        summary: 'Rank passages for a query',
        security,
        querystring: WhichCollection,
        body: RetrieveBody,
        response: gives(Ranking, 'Passages, best first'),
      },
    },
    async (request, reply) => {
      const { id = null, stage, k, ...query } = request.body;
      const lease = collections.lease(request.query.collection, request.caller);
      try {
        const hits = await work(serving, request, reply, (signal) =>
          lease.router.rank(stage, query, k, signal),
        );
        const named = String(id ?? request.id);
        return send(reply, { schema: 'pragaura.ranking/1', id: named, query: query.query, stage, hits });
      } finally {
        lease.release();
      }
    },
  );
  app.post(
    '/v1/classify',
    {
      config: { scope: 'score' },
      schema: {
        summary: 'The speech act of a query',
        security,
        body: ClassifyBody,
        response: gives(ActRecord, 'A distribution over the acts'),
      },
    },
    async (request, reply) => {
      const { id, query } = withId(request, request.body, parseQuery);
      // Which collection it is makes no difference: the models are the same.
      const [any] = collections.states(request.caller);
      const lease = collections.lease(any?.name, request.caller);
      try {
        const act = await work(serving, request, reply, (signal) => lease.router.classify(query, signal));
        return send(reply, { schema: 'pragaura.act/1', id, query, ...act });
      } finally {
        lease.release();
      }
    },
  );
  const score = <B extends z.ZodType, T>(
    job: string,
    body: B,
    parse: (value: unknown) => T,
    record: z.ZodType,
    run: (pair: T, signal: AbortSignal) => Promise<object>,
  ) =>
    app.post(
      `/v1/score/${job}`,
      {
        config: { scope: 'score' },
        schema: {
          summary: `Score a pair of texts: ${job}`,
          security,
          body,
          response: gives(record, 'The scores'),
        },
      },
      async (request, reply) => {
        const pair = withId(request, request.body as object, parse);
        return send(reply, await work(serving, request, reply, (signal) => run(pair, signal)));
      },
    );
  const nli = parseAs(NliPair, 'For example {"premise": "Ada sleeps.", "hypothesis": "Ada is awake."}.');
  const pair = parseAs(QueryPair, 'For example {"query": "Who sleeps?", "passage": "Ada sleeps."}.');
  score('nli', NliBody, nli, NliRecord, (each, signal) => scoreNli(scorers, each, signal));
  score('rerank', PairBody, pair, RerankRecord, (each, signal) => scoreRerank(scorers, each, signal));
  score('read', PairBody, pair, ReadRecord, (each, signal) => scoreRead(scorers, each, signal));
  const answerToVerify = parseAs(AnswerToVerify as never, 'The contract is at /openapi.json.') as (
    value: unknown,
  ) => z.output<typeof AnswerToVerify>;
  app.post(
    '/v1/verify',
    {
      config: { scope: 'score' },
      // Once, by the contract of the command: what it makes of passages is not what it takes.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        summary: 'Check every sentence of an answer against the passages that it leans on',
        security,
        body: VerifyBody,
        response: gives(VerificationRecord, 'What each sentence is worth'),
      },
    },
    async (request, reply) => {
      const { id, ...answer } = withId(request, request.body as object, answerToVerify);
      const { schema, ...verification } = await work(serving, request, reply, (signal) =>
        verifyAnswer(answer, { scorers, signal }),
      );
      return send(reply, { schema, id, ...verification });
    },
  );
}

function addState(app: App, { collections, metrics, draining }: Serving): void {
  app.get(
    '/v1/collections',
    {
      config: { scope: 'any' },
      schema: {
        summary: 'The collections that the caller may ask',
        security,
        response: gives(CollectionList, 'Their names and what they hold'),
      },
    },
    async (request, reply) => send(reply, { collections: collections.states(request.caller) }),
  );
  app.get(
    '/metrics',
    {
      config: { scope: 'metrics' },
      schema: { summary: 'For Prometheus', security, produces: ['text/plain'] },
    },
    async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  app.get(
    '/healthz',
    { schema: { summary: 'Whether the process lives', response: gives(Health, 'It does') } },
    async (_, reply) => send(reply, { status: 'ok' }),
  );
  app.get(
    '/readyz',
    { schema: { summary: 'Whether requests are taken', response: gives(Health, 'They are') } },
    async (_, reply) => {
      if (draining.aborted) return send(reply.code(503), { status: 'draining' });
      return send(reply, { status: 'ready' });
    },
  );
  app.get('/openapi.json', { schema: { hide: true } as object }, async (_, reply) =>
    send(reply, app.swagger()),
  );
}

/** A record as a line, as it stands in a stream. */
function send(reply: FastifyReply, record: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(toLine(record));
}

/** The body by the contract of a stream; without an id it is called after its request. */
function withId<T>(request: FastifyRequest, body: unknown, parse: (value: unknown, line: number) => T): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return parse(body, 1);
  const { id = null } = body as { id?: unknown };
  return parse({ ...body, id: id === null ? request.id : typeof id === 'number' ? String(id) : id }, 1);
}

/** Runs a query's work in its turn, until it is done, the caller has gone, or it has taken too long. */
async function work<T>(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const onClose = () => {
    if (!reply.raw.writableFinished) gone.abort(callerGone());
  };
  reply.raw.once('close', onClose);
  if (reply.raw.destroyed) onClose();
  try {
    return await limited(serving, request.caller, gone.signal, run, false);
  } finally {
    reply.raw.off('close', onClose);
  }
}

async function limited<T>(
  { gate, stopped, timeoutMs }: Serving,
  caller: Caller,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
  patient: boolean,
): Promise<T> {
  const own = new AbortController();
  const timer = setTimeout(() => {
    const message = `It took longer than the ${timeoutMs} ms that this server gives a query.`;
    own.abort(new PragauraError('DEADLINE_EXCEEDED', message, { hint: 'Ask again when less is going on.' }));
  }, timeoutMs);
  const all = AbortSignal.any([signal, own.signal, stopped]);
  try {
    return await gate.run(caller, all, () => run(all), patient);
  } catch (error) {
    // What a stage says of it is that it was aborted; why is said here.
    if (!all.aborted) throw error;
    throw PragauraError.isInstance(all.reason) ? all.reason : callerGone();
  } finally {
    clearTimeout(timer);
  }
}

function callerGone(): PragauraError {
  return new PragauraError('ABORTED', 'The caller has gone.');
}

async function decideStream(serving: Serving, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Without a body there is nothing to be read.
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const { collections, metrics, door, streams, draining, stopped } = serving;
  const lease = collections.lease((request.query as { collection?: string }).collection, request.caller);
  const decider = serving.decider(lease.router, request.caller);
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
          const decision = await limited(serving, caller, signal, decide, true);
          metrics.decided(decision);
          return decision;
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
    const left = refused ?? (stopped.aborted ? stopped.reason : draining.reason);
    if (stop.signal.aborted && left !== undefined && !output.destroyed) {
      const error = { ...(left as PragauraError).toJSON(), hint: 'Send the lines without a record again.' };
      output.write(toLine({ schema: 'pragaura.error/1', id: null, line: null, error }));
    }
    // What is not read any more must still be taken off the wire: closed over it, the socket would drop the answer.
    body.unpipe(input).resume();
    output.end();
  } catch (error) {
    // The caller broke off; there is nobody to tell.
    serving.log.debug('stream.broken', {
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
