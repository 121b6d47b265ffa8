/** A server for tests, on any free port of this machine. Tests only. */
import { openServer, type Server, type ServerOptions } from '../server.ts';

type Given = Pick<ServerOptions, 'collections' | 'scorers' | 'log'> & Partial<ServerOptions>;

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
