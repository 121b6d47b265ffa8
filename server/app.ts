/** The HTTP application: what comes in, from whom, and what is noted of it. What each path does stands in `routes.ts`. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import cors from '@fastify/cors';
import swagger from '@fastify/swagger';
import { type FastifyInstance, fastify } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { failureReason, isLoopback, messageOf, PragauraError, packageVersion } from '../common/index.ts';
import { errorFields } from '../workers/health/log.ts';
import { type Caller, type Door, mustHave } from './callers.ts';
import { NAMED } from './contracts.ts';
import type { Documents } from './documents/documents.ts';
import { TooBusy } from './gate.ts';
import type { Tickets } from './knowledge/tickets.ts';
import type { Labels } from './labels/labels.ts';
import type { ServerMetrics } from './metrics.ts';
import { asKnown, HttpError, PROBLEM_TYPE, type Problem, problemOf } from './problems.ts';
import type { Scope } from './scopes.ts';
import type { Service } from './service.ts';
import type { Writer } from './writer.ts';

/** What the paths work with. */
export interface Serving {
  service: Service;
  door: Door;
  metrics: ServerMetrics;
  maxBodyBytes: number;
  /** Null: none are taken. */
  documents: Documents | null;
  /** Null: none are kept. */
  labels: Labels | null;
  /** Null: there are none. */
  tickets: Tickets | null;
  /** Null: answers are quotes. */
  writer: Writer | null;
  /** Streams of lines that are open. */
  streams: Set<unknown>;
}

export interface AppOptions {
  /** Address that it will listen on. */
  host: string;
  /** Whose pages may read what it says, such as "https://wiki.example"; left out: its own alone. */
  corsOrigins?: readonly string[] | undefined;
  /** PEM files. */
  tls?: { cert: string; key: string } | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may come here; left out: everybody, unknown. */
    scope?: Scope | 'any';
    /** The body is read as it comes. */
    streams?: boolean;
  }
  interface FastifyRequest {
    caller: Caller;
    /** Set while the body is awaited. */
    arriving: NodeJS.Timeout | undefined;
  }
}

/** Levels of objects and lists in a body. */
const MAX_DEPTH = 32;
const HEADERS_MS = 10_000;
const BODY_MS = 30_000;
/** So long a socket on which nothing moves is kept; more than any query takes. */
const SILENT_MS = 120_000;
const IDLE_MS = 30_000;
const LOCKED_S = 5;
const MAX_CONNECTIONS = 4096;
export type App = Awaited<ReturnType<typeof openApp>>;

/** An application without paths. Throws NOT_FOUND for files of TLS, USAGE for an origin that is none. */
export async function openApp(serving: Serving, options: AppOptions) {
  const common = {
    bodyLimit: serving.maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false as const,
    // Ids of documents are part of a path.
    routerOptions: { maxParamLength: 2048 },
    return503OnClosing: false,
    forceCloseConnections: 'idle' as const,
    connectionTimeout: SILENT_MS,
    keepAliveTimeout: IDLE_MS,
    clientErrorHandler,
    frameworkErrors: (error: Error, request: never, reply: never) => failed(serving, error, request, reply),
  };
  // Half-sent heads are looked for this often.
  const http = { connectionsCheckingInterval: 5000, requestTimeout: 0, headersTimeout: HEADERS_MS };
  const base = (options.tls === undefined
    ? fastify({ ...common, http } as never)
    : fastify({
        ...common,
        https: { ...http, ...readTls(options.tls) },
      } as never)) as unknown as FastifyInstance;
  base.server.maxConnections = MAX_CONNECTIONS;
  const app = base.withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  // Records are given out as they were made.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  takeJson(app);
  const origins = (options.corsOrigins ?? []).map(originOf);
  if (origins.length > 0) await letRead(app, origins);
  guard(app, serving, options.host, origins);
  app.setErrorHandler((error, request, reply) => failed(serving, error, request, reply));
  app.setNotFoundHandler(() => {
    throw new PragauraError('NOT_FOUND', 'There is nothing at this address.', {
      hint: '/openapi.json lists what there is.',
    });
  });
  const raw = rawBodies(app);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'PragAURA',
        description: 'Answer, ask or abstain: calibrated decisions in front of your own documents.',
        version: packageVersion(),
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: createJsonSchemaTransform({ schemaRegistry: NAMED }),
    transformObject: (document) => {
      const made = createJsonSchemaTransformObject({ schemaRegistry: NAMED })(document) as {
        paths?: Record<string, Record<string, object>>;
      };
      // The colon of "decisions:stream" is taken for a parameter without a name.
      made.paths = Object.fromEntries(
        Object.entries(made.paths ?? {}).map(([path, item]) => [path.replaceAll('{}', ''), item]),
      );
      for (const { path, method, content } of raw) {
        Object.assign(made.paths[path]![method]!, { requestBody: { required: true, content } });
      }
      return withoutFalse(made) as never;
    },
  });
  return app;
}

/** Lists of so many items without "items": false, which some generators of clients do not read. */
function withoutFalse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFalse);
  if (typeof value !== 'object' || value === null) return value;
  const { items, ...rest } = value as { items?: unknown; prefixItems?: unknown };
  const { prefixItems } = rest;
  const all = items === false && Array.isArray(prefixItems) ? prefixItems.length : null;
  const shown = all === null ? value : { ...rest, minItems: all, maxItems: all };
  return Object.fromEntries(Object.entries(shown).map(([key, each]) => [key, withoutFalse(each)]));
}

/** Bodies that are read as they come, by the contract; filled in as paths are added. */
function rawBodies(app: FastifyInstance) {
  const found: { path: string; method: string; content: object }[] = [];
  app.addHook('onRoute', ({ url, method, schema }) => {
    const { consumes, body } = (schema ?? {}) as { consumes?: readonly string[]; body?: unknown };
    if (consumes === undefined || body !== undefined) return;
    const path = url.replace(/(?<!:):(\w+)/g, '{$1}').replaceAll('::', ':');
    const content = Object.fromEntries(
      consumes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
    );
    found.push({ path, method: String(method).toLowerCase(), content });
  });
  return found;
}

/** JSON as `route` takes it: UTF-8 and nothing else, not too deep. */
function takeJson(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    let text: string;
    try {
      text = decoder.decode(body as Buffer);
    } catch {
      return done(new HttpError(400, 'The body is not valid UTF-8.', 'Convert it, for example with iconv.'));
    }
    try {
      const value: unknown = JSON.parse(text);
      if (isDeeperThan(MAX_DEPTH, value)) {
        return done(new HttpError(400, `The body is deeper than ${MAX_DEPTH} levels.`));
      }
      done(null, value);
    } catch (error) {
      done(new HttpError(400, `The body is not JSON: ${messageOf(error)}`, 'It is one JSON object.'));
    }
  });
}

/** Level by level: a body can be nested deeper than a stack goes. */
function isDeeperThan(most: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null
        ? Object.values(each).filter((one) => typeof one === 'object' && one !== null)
        : [],
    );
  }
  return false;
}

/** Who comes in, and what is noted of it. */
function guard(app: FastifyInstance, serving: Serving, host: string, origins: readonly string[]): void {
  const { door, metrics } = serving;
  const { log, draining } = serving.service;
  app.decorateRequest('caller');
  app.decorateRequest('arriving', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    const { scope } = request.routeOptions.config;
    if (scope === undefined) return;
    draining.throwIfAborted();
    // A page elsewhere can have its name lead here, and would be of this machine then.
    const { origin } = request.headers;
    const isElsewhere = (page: string) => !isLocalName(nameIn(page), host) && !origins.includes(page);
    const elsewhere = origin !== undefined && isElsewhere(origin);
    if (door.open && (elsewhere || !isLocalName(request.hostname, host))) {
      throw new PragauraError('NOT_PERMITTED', 'Without keys this server answers to its own address only.', {
        hint: 'Start it with --keys to serve it under another name.',
      });
    }
    request.caller = await door.admit(request.headers.authorization).catch((error: unknown) => {
      // That keys are gone is nothing that was not found for the caller.
      const lost = PragauraError.isInstance(error) && error.code === 'NOT_FOUND';
      throw lost ? new PragauraError('CONFIGURATION', error.message, { cause: error }) : error;
    });
    if (scope !== 'any') mustHave(request.caller, scope);
  });
  app.addHook('preParsing', async (request, reply) => {
    if (request.routeOptions.config.streams) return;
    request.arriving = setTimeout(() => {
      reply.raw.once('finish', () => request.raw.destroy());
      reply.header('connection', 'close');
      reply.send(new HttpError(408, `The body did not arrive within ${BODY_MS / 1000} s.`));
    }, BODY_MS).unref();
  });
  app.addHook('preValidation', async (request) => clearTimeout(request.arriving));
  app.addHook('onSend', async (_, reply) => {
    if (draining.aborted) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    clearTimeout(request.arriving);
    const route = request.routeOptions.url ?? 'none';
    metrics.answered(route, reply.raw.statusCode, reply.elapsedTime);
    log.debug('request', {
      request: request.id,
      route,
      status: reply.raw.statusCode,
      ms: Math.round(reply.elapsedTime),
      caller: request.caller?.id,
      gone: reply.raw.writableFinished ? undefined : true,
    });
  });
}

/** Pages of these origins may send what a client sends, and read what it is told; never with cookies, which there are none of. */
async function letRead(app: FastifyInstance, origins: string[]): Promise<void> {
  await app.register(cors, {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['x-request-id', 'retry-after', 'location', 'mcp-session-id'],
    maxAge: 600,
  });
  app.addHook('onRequest', async (_, reply) => {
    // Streams write their heads themselves, over what stands here.
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined && /^(?:access-control-|vary$)/.test(name)) reply.raw.setHeader(name, value);
    }
  });
}

function originOf(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw new PragauraError('USAGE', `"${text.slice(0, 200)}" is no origin.`, {
    hint: 'Say --cors-origin with a scheme and a host, and a port where there is one: https://wiki.example',
  });
}

/** The host of an origin; one without ("null", of a page from a file) is nobody's. */
function nameIn(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : '';
}

function isLocalName(name: string, host: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '');
  return bare === host || isLoopback(bare);
}

interface Asking {
  id: string;
  caller?: Caller;
}

/** The problem of what went wrong with a request, noted in metrics and log. */
export function notedProblem(
  { metrics, service: { log } }: Serving,
  error: unknown,
  request: Asking,
): Problem {
  const known = asKnown(error);
  const problem = problemOf(known, request.id);
  metrics.problem(known.code);
  const fields = { request: request.id, caller: request.caller?.id, ...errorFields(known) };
  if (problem.status === 401 || problem.status === 403) log.warn('request.refused', fields);
  if (problem.status >= 500) {
    if (known.code === 'ABORTED') log.debug('request.aborted', fields);
    else log.error('request.failed', fields);
  }
  return problem;
}

/** Answers with the problem of an error; `also`: what stands beside it for clients that look elsewhere. */
export function failed(
  serving: Serving,
  error: unknown,
  request: Asking,
  reply: {
    header(name: string, value: string | number): unknown;
    code(status: number): { type(type: string): { send(body: string): unknown } };
  },
  also: (problem: Problem) => object = () => ({}),
): void {
  const problem = notedProblem(serving, error, request);
  reply.header('x-request-id', request.id);
  if (error instanceof TooBusy) reply.header('retry-after', error.retryAfter);
  // One change at a time: it takes seconds.
  if (problem.code === 'TICKETS_LOCKED' || problem.code === 'INDEX_LOCKED')
    reply.header('retry-after', LOCKED_S);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="pragaura"');
  reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify({ ...problem, ...also(problem) }));
}

/** What could not even be read as a request. */
function clientErrorHandler(
  error: NodeJS.ErrnoException,
  socket: { writable: boolean; end(text: string): void; destroy(): void },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The headers are larger than this server takes.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request did not arrive in time.']
        : [400, 'This is no HTTP request.'];
  const problem = problemOf(new HttpError(status as number, message as string), randomUUID());
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${status} ${problem.title}\r\nContent-Type: ${PROBLEM_TYPE}\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function readTls({ cert, key }: { cert: string; key: string }): { cert: Buffer; key: Buffer } {
  const read = (file: string) => {
    try {
      return readFileSync(file);
    } catch (cause) {
      const why = failureReason(cause);
      throw new PragauraError('NOT_FOUND', `${file} cannot be read: ${why}.`, {
        hint: 'Name PEM files with --tls-cert and --tls-key.',
        cause,
      });
    }
  };
  return { cert: read(cert), key: read(key) };
}
