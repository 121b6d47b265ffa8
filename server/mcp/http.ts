/** The Model Context Protocol over HTTP: sessions, each of the caller who began it. */
import { randomUUID } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { FastifyRequest } from 'fastify';
import { PragauraError } from '../../common/index.ts';
import { type App, notedProblem, type Serving } from '../app.ts';
import { HttpError } from '../problems.ts';
import { untilGone } from '../requests.ts';
import type { Asking } from './server.ts';

/** Sessions of one caller; the one that was not used for longest gives way to another one. */
const MOST_SESSIONS = 100;

interface Session {
  server: McpServer;
  transport: StreamableHTTPServerTransport;
}

/** Sessions by their ids, of each caller in the order of their last use. */
class Sessions {
  readonly #all = new Map<string, Map<string, Session>>();

  /** Throws NOT_FOUND for a session that is none of this caller's. */
  use(caller: string, id: string): Session {
    const own = this.#all.get(caller);
    const session = own?.get(id);
    if (own === undefined || session === undefined) {
      throw new PragauraError('NOT_FOUND', 'There is no such session.', {
        hint: 'It may have given way to another one, or the server began anew: send "initialize" without a session.',
      });
    }
    own.delete(id);
    own.set(id, session);
    return session;
  }

  add(caller: string, id: string, session: Session): void {
    const own = this.#all.get(caller) ?? new Map<string, Session>();
    this.#all.set(caller, own.set(id, session));
    const [oldest] = own;
    if (own.size > MOST_SESSIONS) void oldest![1].server.close();
  }

  delete(caller: string, id: string): void {
    const own = this.#all.get(caller);
    own?.delete(id);
    if (own?.size === 0) this.#all.delete(caller);
  }

  /** Ends the streams on which servers speak unasked; what was asked is answered. */
  hush(): void {
    for (const own of this.#all.values()) {
      for (const { transport } of own.values()) transport.closeStandaloneSSEStream();
    }
  }
}

/** Adds the path of the protocol. */
export function addMcp(app: App, serving: Serving): void {
  const sessions = new Sessions();
  serving.service.draining.addEventListener('abort', () => sessions.hush(), { once: true });
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { scope: 'any' },
    schema: { hide: true } as object,
    handler: async (request, reply) => {
      const { server, transport } = await sessionOf(serving, sessions, request);
      if (!server.isConnected()) await server.connect(transport as Transport);
      const asking: Asking = {
        caller: request.caller,
        signal: untilGone(reply),
        problemOf: (error) => notedProblem(serving, error, request),
      };
      const { id: clientId, scopes } = request.caller;
      const auth = { token: '', clientId, scopes: [...scopes], extra: { asking } };
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value!);
      await transport.handleRequest(Object.assign(request.raw, { auth }), reply.raw, request.body);
    },
  });
}

/** The session of a request. What the protocol needs is loaded by the first who speaks it. */
async function sessionOf(serving: Serving, sessions: Sessions, request: FastifyRequest): Promise<Session> {
  const { id: caller } = request.caller;
  const given = request.headers['mcp-session-id'];
  if (given !== undefined) return sessions.use(caller, String(given));
  const { isInitializeRequest } = await import('@modelcontextprotocol/sdk/types.js');
  if (!isInitializeRequest(request.body)) {
    throw new HttpError(
      400,
      'There is no session.',
      'It begins with "initialize" and is sent as Mcp-Session-Id.',
    );
  }
  const { openMcpServer } = await import('./server.ts');
  const { StreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/streamableHttp.js'
  );
  const server = openMcpServer(serving.service, ({ authInfo, signal }) => {
    const asking = authInfo!.extra!.asking as Asking;
    return { ...asking, signal: AbortSignal.any([asking.signal, signal]) };
  });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.add(caller, id, { server, transport }),
  });
  server.server.onclose = () => {
    if (transport.sessionId !== undefined) sessions.delete(caller, transport.sessionId);
  };
  return { server, transport };
}
