/** A server for tests, on any free port of this machine. Tests only. */
import { openServer, type Server, type ServerOptions } from '../server.ts';

type Given = Pick<ServerOptions, 'collections' | 'scorers' | 'log'> & Partial<ServerOptions>;

/** What a server answers to whoever has this token or key, with its status. */
export async function callAs(
  { url }: Pick<Server, 'url'>,
  bearer: string,
  method: string,
  to: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds.
): Promise<any> {
  const response = await fetch(`${url}/v1/${to}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

/** Over these collections; patient, so that a busy machine changes nothing. */
export function testServer(options: Given): Promise<Server> {
  return openServer({
    host: '127.0.0.1',
    port: 0,
    concurrency: 4,
    waiting: 64,
    perMinute: null,
    timeoutMs: 600_000,
    maxBodyBytes: 1024 * 1024,
    ...options,
  });
}
