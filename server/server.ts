/** The server: one process, several collections, the models shared. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { cannotListen, PragauraError, urlOf } from '../common/index.ts';
import { AuditLog, audited, ensureSigningKey } from '../governance/index.ts';
import type { Scorers } from '../scorers/index.ts';
import type { Log } from '../workers/health/log.ts';
import { type AppOptions, openApp, type Serving } from './app.ts';
import { Door, type DoorOptions } from './callers.ts';
import { type CollectionOptions, Collections } from './collections.ts';
import { Gate, type GateOptions } from './gate.ts';
import { ServerMetrics } from './metrics.ts';
import { addRoutes } from './routes.ts';

export interface ServerOptions extends DoorOptions, GateOptions, AppOptions {
  /** 0: any free one. */
  port: number;
  /** Each with the scorers below in its options, or its own. */
  collections: readonly CollectionOptions[];
  /** Stay open: whoever opened them closes them. */
  scorers: Scorers;
  /** Of a body, in bytes, and of a line of a stream. */
  maxBodyBytes: number;
  /** Milliseconds from the arrival of a query, its waiting counted, after which it is given up. */
  timeoutMs: number;
  audit?: { file: string; key: string } | undefined;
  log: Log;
}

export interface Server {
  readonly url: string;
  /**
   * Takes nothing more, finishes what was taken up for at most so many milliseconds (streams end after the lines that
   * they have read), gives the rest up, and closes everything. `now` ends the waiting.
   */
  close(drainMs: number, now?: AbortSignal): Promise<void>;
}

/** For what was given up to say so. */
const GRACE_MS = 1000;

/**
 * Opens the collections and listens. Throws CONFIGURATION where it cannot listen or may not (see `Door`), and what
 * opening collections, keys, tokens and the audit log throws.
 */
export async function openServer(options: ServerOptions): Promise<Server> {
  const { log } = options;
  const door = new Door(options);
  const draining = new AbortController();
  const stopped = new AbortController();
  const gate = new Gate(options);
  const streams = new Set<unknown>();
  const metrics = new ServerMetrics({
    inWork: () => gate.inWork,
    waiting: () => gate.waiting,
    streams: () => streams.size,
    ready: () => !draining.signal.aborted,
  });
  const { audit } = options;
  const auditLog =
    audit === undefined ? null : await AuditLog.open({ file: audit.file, key: ensureSigningKey(audit.key) });
  let collections: Collections | null = null;
  try {
    collections = await Collections.open(options.collections, log);
    const serving: Serving = {
      collections,
      scorers: options.scorers,
      door,
      gate,
      metrics,
      log,
      timeoutMs: options.timeoutMs,
      maxBodyBytes: options.maxBodyBytes,
      streams,
      draining: draining.signal,
      stopped: stopped.signal,
      decider: (router, { actor }) => (auditLog === null ? router : audited(router, auditLog, actor)),
    };
    const app = await openApp(serving, options);
    await app.register(async (scope) => addRoutes(scope.withTypeProvider<ZodTypeProvider>(), serving));
    await app.ready();
    const url = await listen(app, options);
    const opened = collections;
    return {
      url,
      close: async (drainMs, now) => {
        draining.abort(shuttingDown());
        const closed = app.close();
        if (!(await within(drainMs, closed, now))) {
          stopped.abort(shuttingDown());
          if (!(await within(GRACE_MS, closed))) app.server.closeAllConnections();
          await closed;
        }
        await opened.close();
        await auditLog?.close();
      },
    };
  } catch (error) {
    await collections?.close();
    await auditLog?.close();
    throw error;
  }
}

function shuttingDown(): PragauraError {
  return new PragauraError('ABORTED', 'The server is shutting down.', { hint: 'Ask again, or another one.' });
}

async function within(ms: number, work: Promise<unknown>, now?: AbortSignal): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
    if (now?.aborted) resolve(false);
    now?.addEventListener('abort', () => resolve(false), { once: true });
  });
  return Promise.race([work.then(() => true as const), late]).finally(() => clearTimeout(timer));
}

async function listen(app: FastifyInstance, { host, port, tls }: ServerOptions): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw cannotListen({ host, port }, { host: '--host', port: '--port' }, cause);
  }
  const address = app.server.address() as { port: number };
  return urlOf(host, address.port, tls === undefined ? 'http' : 'https');
}
