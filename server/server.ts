/** The server: one process, several collections, the models shared. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { cannotListen, urlOf } from '../common/index.ts';
import type { ModelChoice } from '../scorers/index.ts';
import { type AppOptions, openApp, type Serving } from './app.ts';
import { Door, type DoorOptions } from './callers.ts';
import { Documents } from './documents/documents.ts';
import { Tickets } from './knowledge/tickets.ts';
import { Labels } from './labels/labels.ts';
import { ServerMetrics } from './metrics.ts';
import { addRoutes } from './routes.ts';
import { Service, type ServiceOptions } from './service.ts';
import { openWriter, type WriterOptions } from './writer.ts';

export interface ServerOptions
  extends DoorOptions,
    Omit<ServiceOptions, 'decided' | 'operations'>,
    AppOptions {
  /** 0: any free one. */
  port: number;
  /** Of a body, in bytes, and of a line of a stream. */
  maxBodyBytes: number;
  /**
   * Callers may change the documents, whose texts these models embed; left out: they may not. With a policy and an audit log
   * people may propose changes, too.
   */
  writable?: ModelChoice | undefined;
  /** Milliseconds between looks for tickets that are due. Default 60,000. */
  dueMs?: number | undefined;
  /** Folder for what people say of decisions; left out: it is not kept. */
  labels?: string | undefined;
  /** Decisions of a collection that are remembered for whoever runs it; left out: 1,000. */
  recent?: number | undefined;
  /** Folder for the states of monitors; left out: they begin anew with every start. */
  monitor?: string | undefined;
  /** What words the answers of chats; without it they are quotes. */
  writer?: WriterOptions | undefined;
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
 * opening the queue, collections, monitors, keys, tokens, inboxes of documents, labels and the audit log throws.
 */
export async function openServer(options: ServerOptions): Promise<Server> {
  const door = new Door(options);
  const writer = options.writer === undefined ? null : openWriter(options.writer, options);
  const streams = new Set<unknown>();
  const metrics = new ServerMetrics();
  const service = await Service.open({
    ...options,
    generator: options.writer?.generator,
    operations: { recent: options.recent ?? 1000, monitor: options.monitor },
    decided: metrics.decided,
  });
  metrics.watch({
    inWork: () => service.gate.inWork,
    waiting: () => service.gate.waiting,
    streams: () => streams.size,
    ready: () => !service.draining.aborted,
    alarms: () => service.operations!.monitors.standing,
  });
  let documents: Documents | null = null;
  let tickets: Tickets | null = null;
  try {
    const { maxBodyBytes, writable } = options;
    const names = service.collections.folders().map(({ name }) => name);
    const labels = options.labels === undefined ? null : await Labels.open(options.labels, names);
    if (writable !== undefined) {
      documents = await Documents.open(service, writable);
      tickets = await Tickets.open(service, options.dueMs);
    }
    const kept = { documents, labels, tickets };
    const serving: Serving = { service, door, metrics, maxBodyBytes, ...kept, writer, streams };
    const app = await openApp(serving, options);
    await app.register(async (scope) => addRoutes(scope.withTypeProvider<ZodTypeProvider>(), serving));
    await app.ready();
    const url = await listen(app, options);
    return {
      url,
      close: async (drainMs, now) => {
        service.drain();
        const closed = app.close();
        if (!(await within(drainMs, closed, now))) {
          service.stop();
          if (!(await within(GRACE_MS, closed))) app.server.closeAllConnections();
          await closed;
        }
        await documents?.close();
        await tickets?.close();
        await service.close();
      },
    };
  } catch (error) {
    await documents?.close();
    await tickets?.close();
    await service.close();
    throw error;
  }
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
