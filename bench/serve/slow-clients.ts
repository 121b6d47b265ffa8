/** Callers that take or send next to nothing, and what others notice of them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../router/index.ts';
import { Latencies, type LatencySummary } from '../measure/latencies.ts';
import { ask, keptConnections, stream } from './client.ts';
import { metricsOf, type Watched, watchServer, withServe } from './server-process.ts';

export interface SlowReport {
  seconds: number;
  /** Streams of which a record is read in `paceMs`. */
  readers: { streams: number; paceMs: number; sent: number; decided: number; read: number };
  /** Sockets on which nothing more comes, by where they stop. */
  halfOpen: Record<'silent' | 'head' | 'body', HalfOpen>;
  /** Requests for a speech act meanwhile, by status, and how long they took. */
  others: { statuses: Record<string, number>; took: LatencySummary };
  memory: Watched;
}

interface HalfOpen {
  sockets: number;
  /** Closed by the server while it was looked at. */
  closed: number;
  /** Seconds until the last of these was closed; null: none was. */
  lastAfter: number | null;
}

const READERS = 4;
const PACE_MS = 250;
const SOCKETS = 100;
const ASK_EVERY_MS = 250;
const HEAD = 'POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const PIECES = { silent: '', head: HEAD, body: `${HEAD}Content-Length: 100\r\n\r\n{"query":` } as const;

/** For so many seconds; bodies are awaited for 30 s. */
export function measureSlow(index: string, queries: readonly Query[], seconds: number): Promise<SlowReport> {
  return withServe(index, ['--concurrency', '2'], async ({ url }) => {
    const [{ query }] = queries as readonly [Query];
    await ask(`${url}/v1/classify`, { body: { query } });
    const decidedBefore = decisionsIn(await metricsOf(url));
    const stop = await watchServer(url);
    const end = AbortSignal.timeout(1_000 * seconds);
    let [sent, read] = [0, 0];
    const lines = function* () {
      for (;;) {
        sent += 1;
        yield { id: `slow-${sent}`, query: 'Thank you!' };
      }
    };
    const isRead = () => {
      read += 1;
    };
    const readers = Array.from({ length: READERS }, () =>
      stream(url, lines(), { paceMs: PACE_MS, leave: end, read: isRead }),
    );
    const kinds = Object.entries(PIECES) as [keyof typeof PIECES, string][];
    const halfOpen = kinds.map(async ([kind, piece]) => [kind, await leaveOpen(url, piece, end)] as const);
    const others = await askMeanwhile(url, query, end);
    const decided = decisionsIn(await metricsOf(url)) - decidedBefore;
    await Promise.allSettled(readers);
    return {
      seconds,
      readers: { streams: READERS, paceMs: PACE_MS, sent, decided, read },
      halfOpen: Object.fromEntries(await Promise.all(halfOpen)) as SlowReport['halfOpen'],
      others,
      memory: await stop(),
    };
  });
}

function decisionsIn(metrics: ReadonlyMap<string, number>): number {
  return [...metrics]
    .filter(([series]) => series.startsWith('pragaura_decisions_total'))
    .reduce((sum, [, value]) => sum + value, 0);
}

async function leaveOpen(url: string, piece: string, end: AbortSignal): Promise<HalfOpen> {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  const closed: number[] = [];
  const sockets = Array.from({ length: SOCKETS }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      if (!end.aborted) closed.push((performance.now() - began) / 1_000);
    });
    if (piece !== '') socket.write(piece);
    return socket;
  });
  if (!end.aborted) await once(end, 'abort');
  for (const socket of sockets) socket.destroy();
  return { sockets: SOCKETS, closed: closed.length, lastAfter: closed.at(-1) ?? null };
}

async function askMeanwhile(url: string, query: string, end: AbortSignal): Promise<SlowReport['others']> {
  const took = new Latencies();
  const statuses: Record<string, number> = {};
  const agent = keptConnections();
  while (!end.aborted) {
    const told = await took
      .time(() => ask(`${url}/v1/classify`, { body: { query }, agent }))
      .then(({ status }) => String(status))
      .catch((error: NodeJS.ErrnoException) => error.code ?? 'broken off');
    statuses[told] = (statuses[told] ?? 0) + 1;
    await sleep(ASK_EVERY_MS);
  }
  agent.destroy();
  return { statuses, took: took.summary() };
}
