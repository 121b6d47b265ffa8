/** A server for tests, on any free port of this machine, and what callers need. Tests only. */
import { createKey } from '../keys.ts';
import type { Scope } from '../scopes.ts';
import { openServer, type Server, type ServerOptions } from '../server.ts';

type Given = Pick<ServerOptions, 'collections' | 'scorers' | 'log'> & Partial<ServerOptions>;

/** The text of a new API key in a file of keys. */
export async function keyWith(
  file: string,
  scopes: readonly Scope[],
  collections: string[] | null = null,
): Promise<string> {
  return (await createKey(file, { name: 'x', scopes, collections, days: 1, perMinute: null })).text;
}

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
