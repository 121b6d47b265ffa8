/** The Model Context Protocol over standard input and output: one client, which started this process. */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { errorFields } from '../../workers/health/log.ts';
import type { Caller } from '../callers.ts';
import { asKnown, problemOf } from '../problems.ts';
import type { Service } from '../service.ts';
import { openMcpServer } from './server.ts';

/** Bytes of one message; beyond them the connection ends. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Answers what comes from `input` until it ends or `stop` fires, and what was asked by then is answered. `now`, and a client
 * that no longer reads, end it at once.
 */
export async function serveStdio(
  service: Service,
  {
    caller,
    input,
    output,
    stop,
    now,
  }: {
    caller: Caller;
    input: Readable;
    output: Writable;
    stop: AbortSignal;
    now?: AbortSignal | undefined;
  },
): Promise<void> {
  const { log } = service;
  const server = openMcpServer(service, ({ signal }) => ({
    caller,
    signal,
    problemOf: (error) => {
      const known = asKnown(error);
      const problem = problemOf(known, randomUUID());
      if (problem.status >= 500)
        log.error('request.failed', { instance: problem.instance, ...errorFields(known) });
      return problem;
    },
  }));
  const transport = new Answered(input, output);
  // Its own words would quote what was sent.
  server.server.onerror = (error) => log.warn('message.refused', { error: error.name });
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  const end = () => {
    service.drain();
    transport.whenAnswered(() => void server.close());
  };
  input.once('end', end);
  input.once('close', end);
  output.once('error', () => void server.close());
  stop.addEventListener('abort', end, { once: true });
  now?.addEventListener('abort', () => void server.close(), { once: true });
  await server.connect(transport);
  if (stop.aborted) end();
  await closed;
}

/** A transport that knows what it has not answered. */
class Answered extends StdioServerTransport {
  readonly #open = new Set<string | number>();
  #then: (() => void) | null = null;

  constructor(input: Readable, output: Writable) {
    super(input, output, { maxBufferSize: MOST_BYTES });
  }

  override async start(): Promise<void> {
    const take = this.onmessage;
    this.onmessage = (message) => {
      if (isJSONRPCRequest(message)) this.#open.add(message.id);
      take?.(message);
      const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
      if (cancelled !== undefined) this.#answered(cancelled);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
  }

  /** Runs `then` once everything that was asked is answered. */
  whenAnswered(then: () => void): void {
    this.#then = then;
    if (this.#open.size === 0) then();
  }

  #answered(id: string | number): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#then?.();
  }
}
