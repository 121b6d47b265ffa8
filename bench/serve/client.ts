/** Callers of the server over real sockets, as plain as they can be: what they cost counts as the server's. */
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Told {
  status: number;
  text: string;
}

export interface AskOptions {
  /** Left out: a GET. */
  body?: object;
  /** Server-sent events. */
  events?: boolean;
  agent?: Agent;
  connected?: () => void;
}

/** One connection that is kept. */
export const oneConnection = () => new Agent({ keepAlive: true, maxSockets: 1 });
export const keptConnections = () => new Agent({ keepAlive: true });
/** A connection for each request. */
const fresh = () => new Agent();

/** The whole answer. Rejects where the connection ends before it is there. */
export async function ask(
  url: string,
  { body, events, agent = fresh(), connected }: AskOptions = {},
): Promise<Told> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(sent !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    }),
    ...(events && { accept: 'text/event-stream' }),
  };
  const asked = request(url, { method: sent === undefined ? 'GET' : 'POST', headers, agent });
  if (connected !== undefined) asked.once('socket', (socket) => socket.once('connect', connected));
  asked.end(sent);
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  // Once the answer has begun, what breaks it off is told by reading it.
  asked.on('error', () => {});
  const [answer] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode!, text: Buffer.concat(chunks).toString('utf8') };
}

export interface Event {
  event: string;
  data: string;
}

/** Events of a stream that has ended. */
export function eventsOf(text: string): Event[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = new Map(
      block
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
    );
    const [event, data] = [fields.get('event'), fields.get('data')];
    return event === undefined || data === undefined ? [] : [{ event, data }];
  });
}

export interface Line {
  id: string | null;
  error?: { code: string };
}

export interface StreamOptions {
  /** Read one record in so many milliseconds. */
  paceMs?: number;
  /** Told of each record as it is read. */
  read?: (line: Line) => void;
  connected?: () => void;
  /** Stop reading and leave. */
  leave?: AbortSignal;
}

/** What came of a stream: how many lines were sent, and what came back; `whole`: until the server ended it. */
export interface Streamed {
  sent: number;
  lines: Line[];
  whole: boolean;
}

/** Sends queries as fast as they are taken and reads decisions. Rejects where there is no answer at all. */
export async function stream(
  url: string,
  queries: AsyncIterable<object> | Iterable<object>,
  { paceMs, read, connected, leave }: StreamOptions = {},
): Promise<Streamed> {
  const asked = request(`${url}/v1/decisions:stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    agent: fresh(),
  });
  if (connected !== undefined) asked.once('socket', (socket) => socket.once('connect', connected));
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  // A server that ends the stream takes nothing more; what came back is told by the answer.
  asked.on('error', () => {});
  leave?.addEventListener('abort', () => asked.destroy(), { once: true });
  let sent = 0;
  const sending = (async () => {
    for await (const query of queries) {
      if (asked.destroyed) return;
      sent += 1;
      if (!asked.write(`${JSON.stringify(query)}\n`)) await drained(asked);
    }
    asked.end();
  })().catch(() => {});
  asked.flushHeaders();
  const [answer] = await answered;
  const lines: Line[] = [];
  let rest = '';
  let whole = true;
  try {
    for await (const chunk of answer.setEncoding('utf8')) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const line = JSON.parse(part) as Line;
        lines.push(line);
        read?.(line);
        if (paceMs !== undefined) await sleep(paceMs);
      }
    }
  } catch {
    whole = false;
  }
  asked.destroy();
  await sending;
  return { sent, lines, whole: whole && rest === '' };
}

/** Until more can be sent, or nothing ever again. */
async function drained(asked: ClientRequest): Promise<void> {
  const either = new AbortController();
  const { signal } = either;
  await Promise.race([once(asked, 'drain', { signal }), once(asked, 'close', { signal })]);
  either.abort();
}
