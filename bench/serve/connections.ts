/** Very many callers at once: server-sent events and streams of lines. */
import type { Query } from '../../router/index.ts';
import { ask, eventsOf, type Streamed, stream } from './client.ts';
import { type Watched, watchServer, withServe } from './server-process.ts';

export interface ConnectionsReport {
  connections: number;
  streams: number;
  linesEach: number;
  /** Connections that were open at a time, at most. */
  mostOpen: number;
  /** Of connections and streams, those which got all that they must. */
  whole: { connections: number; streams: number };
  /** What the others got, in words, and how often. */
  else: Record<string, number>;
  seconds: number;
  memory: Watched;
}

const LINES = 5;
/** No document is looked at: an act, and an abstention. */
const LIGHT = 'Thank you!';
/** One stream in so many begins with a question, and one connection in so many asks one. */
const STREAMS_ASK = 5;
const CONNECTIONS_ASK = 50;

/** All streams first, then all connections while these are worked on, then the second half of each stream. */
export function measureConnections(
  index: string,
  queries: readonly Query[],
  { connections, streams }: { connections: number; streams: number },
): Promise<ConnectionsReport> {
  return withServe(index, ['--waiting', '100000', '--timeout', '100'], async ({ url }) => {
    const question = (place: number) => queries[place % queries.length]!.query;
    await ask(`${url}/v1/decisions`, { body: { query: question(0) } });
    const stop = await watchServer(url);
    const began = performance.now();
    const open = new Open();
    const others: Record<string, number> = {};
    const count = (what: string | null): number => {
      if (what === null) return 1;
      others[what] = (others[what] ?? 0) + 1;
      return 0;
    };
    let allAreOpen: () => void = () => {};
    const connected = new Promise<void>((resolve) => {
      allAreOpen = resolve;
    });
    const streaming = Array.from({ length: streams }, async (_, place) => {
      const given = Array.from({ length: LINES }, (_, line) => ({
        id: `${place}-${line}`,
        query: line === 0 && place % STREAMS_ASK === 0 ? question(place) : LIGHT,
      }));
      const lines = async function* () {
        yield* given.slice(0, Math.ceil(LINES / 2));
        await connected;
        yield* given.slice(Math.ceil(LINES / 2));
      };
      return open.during(async (here) =>
        faultOfStream(
          await stream(url, lines(), { connected: here }),
          given.map(({ id }) => id),
        ),
      );
    });
    await open.until(streams);
    const asking = Array.from({ length: connections }, async (_, place) => {
      const [asks, id] = [place % CONNECTIONS_ASK === 0, `event-${place}`];
      const body = { id, query: asks ? question(place) : LIGHT };
      return open.during(async (here) => {
        const { status, text } = await ask(`${url}/v1/decisions`, { body, events: true, connected: here });
        return status === 200 ? faultOfEvents(text, id, asks) : `status ${status}`;
      });
    });
    await Promise.race([open.until(streams + connections), Promise.allSettled(asking)]);
    allAreOpen();
    const sum = async (all: readonly Promise<string | null>[]) =>
      (await Promise.all(all)).map(count).reduce((total, one) => total + one, 0);
    const whole = { connections: await sum(asking), streams: await sum(streaming) };
    const seconds = (performance.now() - began) / 1_000;
    const memory = await stop();
    return {
      connections,
      streams,
      linesEach: LINES,
      mostOpen: open.most,
      whole,
      else: others,
      seconds,
      memory,
    };
  });
}

/** Connections from the moment that they stand. */
class Open {
  #now = 0;
  #ever = 0;
  #waiting: { many: number; resolve: () => void }[] = [];
  most = 0;

  /** What went wrong, in words; null: nothing. */
  async during(work: (connected: () => void) => Promise<string | null>): Promise<string | null> {
    let isOpen = false;
    try {
      return await work(() => {
        isOpen = true;
        this.#now += 1;
        this.#ever += 1;
        this.most = Math.max(this.most, this.#now);
        this.#waiting = this.#waiting.filter(({ many, resolve }) => {
          if (this.#ever < many) return true;
          resolve();
          return false;
        });
      });
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    } finally {
      if (isOpen) this.#now -= 1;
    }
  }

  /** Resolves once so many have ever been open. */
  until(many: number): Promise<void> {
    if (this.#ever >= many) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ many, resolve }));
  }
}

/** What is wrong with a stream that had to give a decision for each id, in order; null: nothing. */
export function faultOfStream({ lines, whole }: Streamed, ids: readonly string[]): string | null {
  const error = lines.find((line) => line.error !== undefined)?.error;
  if (error !== undefined) return `line ${error.code}`;
  if (!whole) return 'stream broken off';
  return lines.map(({ id }) => id).join() === ids.join() ? null : 'other lines';
}

/** What is wrong with the events of a decision; null: nothing. */
export function faultOfEvents(text: string, id: string, looksAtDocuments: boolean): string | null {
  const events = eventsOf(text);
  const last = events.at(-1);
  if (last?.event !== 'decision') return last === undefined ? 'no event' : `last event ${last.event}`;
  if ((JSON.parse(last.data) as { id: string }).id !== id) return 'decision of another';
  const stages = new Set(events.map(({ event }) => event));
  return stages.has('act') && (!looksAtDocuments || stages.size > 2) ? null : 'stages missing';
}
