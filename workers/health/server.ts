/** The small HTTP server of a worker: /healthz, /readyz, /metrics, and the dashboard where it was asked for. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { cannotListen, urlOf } from '../../common/index.ts';

export interface Reply {
  status: number;
  type: string;
  body: string;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HealthServerOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** By path; each answers GET and HEAD. */
  routes: Readonly<Record<string, () => Promise<Reply>>>;
  /** Gets every request under its path, GET and HEAD only; null while there is none yet. */
  dashboard?: { path: string; handler: () => Handler | null } | undefined;
  /** Told of a route that failed. */
  failed: (error: unknown) => void;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

export const json = (status: number, value: unknown): Reply => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

/** Listens; throws CONFIGURATION where the port is taken or the address is not of this machine. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port } = options;
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.failed(error);
      send(request, response, json(500, { error: 'this could not be answered' }));
    });
  });
  // Whoever asks is a probe or a scraper: a handful of connections that ask for little and do so at once.
  server.maxConnections = 64;
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  server.keepAliveTimeout = 5000;
  await listen(server, host, port);
  const address = server.address() as { port: number };
  return {
    url: urlOf(host, address.port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: '--health-host', port: '--health-port' };
    server.once('error', (error) => reject(cannotListen({ host, port }, options, error)));
    server.listen(port, host, resolve);
  });
}

async function answer(
  { routes, dashboard }: HealthServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return send(request, response, json(405, { error: 'only GET and HEAD are answered' }));
  }
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const underDashboard = dashboard && (path === dashboard.path || path.startsWith(`${dashboard.path}/`));
  const board = underDashboard ? dashboard.handler() : null;
  if (board) return board(request, response);
  if (!Object.hasOwn(routes, path)) {
    const paths = [...Object.keys(routes), ...(dashboard ? [dashboard.path] : [])];
    return send(request, response, json(404, { error: 'no such path', paths }));
  }
  send(request, response, await routes[path]!());
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Reply): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
