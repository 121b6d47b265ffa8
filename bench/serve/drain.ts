/** SIGTERM while much is asked: what becomes of every request. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../router/index.ts';
import { ask, eventsOf, stream } from './client.ts';
import { withServe } from './server-process.ts';

/** `told`: that the server ends. `lost`: neither answered nor told. `refused`: no connection was made. */
export type Fate = 'answered' | 'told' | 'refused' | 'lost';

export interface DrainReport {
  /** Seconds that the server was given. */
  drainTimeout: number;
  /** From SIGTERM to the end of the process, and how it ended. */
  seconds: number;
  how: string;
  decisions: Fates;
  events: Fates;
  /** Lines of streams; told: the stream said in its last line that they were left. */
  lines: Fates;
  /** Requests that came after SIGTERM, each over a connection of its own. */
  newcomers: Fates;
}

export type Fates = Record<Fate, number>;

const DECISIONS = 8;
const EVENTS = 4;
const STREAMS = 1;
const LINES = 40;
const NEWCOMER_EVERY_MS = 20;

export function measureDrain(
  index: string,
  queries: readonly Query[],
  drainTimeout: number,
): Promise<DrainReport> {
  const options = ['--drain-timeout', String(drainTimeout), '--timeout', '100'];
  return withServe(index, options, async ({ url, process: server }) => {
    const body = (place: number) => ({ query: queries[place % queries.length]!.query });
    const decide = `${url}/v1/decisions`;
    await ask(decide, { body: body(0) });
    const decisions = none();
    const events = none();
    const lines = none();
    const newcomers = none();
    const all = async (many: number, fates: Fates, work: (place: number) => Promise<Fate>) => {
      await Promise.all(
        Array.from({ length: many }, async (_, place) => {
          fates[await work(place).catch(fateOfError)] += 1;
        }),
      );
    };
    const first: { done?: () => void } = {};
    const oneIsDone = new Promise<void>((resolve) => {
      first.done = resolve;
    });
    const asking = [
      all(DECISIONS, decisions, async (place) => {
        const told = await ask(decide, { body: body(place) });
        first.done!();
        return fateOfStatus(told.status);
      }),
      all(EVENTS, events, async (place) => {
        const { status, text } = await ask(decide, { body: body(place), events: true });
        return status === 200 ? fateOfEvents(text) : fateOfStatus(status);
      }),
      ...Array.from({ length: STREAMS }, async (_, of) => {
        const given = Array.from({ length: LINES }, (_, place) => ({ id: `${of}-${place}`, ...body(place) }));
        const back = await stream(url, given).catch(() => ({ lines: [], whole: false }));
        for (const [fate, many] of Object.entries(fatesOfLines(LINES, back))) lines[fate as Fate] += many;
      }),
    ];
    await oneIsDone;
    const began = performance.now();
    server.child.kill('SIGTERM');
    const coming: Promise<void>[] = [];
    while (!server.ended) {
      coming.push(
        all(1, newcomers, async () => {
          try {
            return fateOfStatus((await ask(`${url}/v1/classify`, { body: body(0) })).status);
          } catch (error) {
            // What the system had let in, and the server never saw, ends with the listening socket.
            if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return 'refused';
            throw error;
          }
        }),
      );
      await Promise.race([sleep(NEWCOMER_EVERY_MS), server.exited]);
    }
    const seconds = (performance.now() - began) / 1_000;
    await Promise.all([...asking, ...coming]);
    return { drainTimeout, seconds, how: String(await server.exited), decisions, events, lines, newcomers };
  });
}

const none = (): Fates => ({ answered: 0, told: 0, refused: 0, lost: 0 });

function fateOfStatus(status: number): Fate {
  return status === 200 ? 'answered' : status === 503 ? 'told' : 'lost';
}

function fateOfError(error: NodeJS.ErrnoException): Fate {
  return error.code === 'ECONNREFUSED' ? 'refused' : 'lost';
}

function fateOfEvents(text: string): Fate {
  const last = eventsOf(text).at(-1)?.event;
  return last === 'decision' ? 'answered' : last === 'error' ? 'told' : 'lost';
}

interface Back {
  lines: readonly { id: string | null; error?: { code: string } }[];
  whole: boolean;
}

/** Each of so many lines: answered with a decision, told by an error of its own or by the last line of the stream, or lost. */
export function fatesOfLines(many: number, { lines, whole }: Back): Fates {
  const last = lines.at(-1);
  const isTold = whole && last !== undefined && last.id === null && last.error?.code === 'ABORTED';
  const records = isTold ? lines.slice(0, -1) : lines;
  const answered = records.filter(({ error }) => error === undefined).length;
  const aborted = records.length - answered;
  const left = many - records.length;
  return { answered, told: aborted + (isTold ? left : 0), refused: 0, lost: isTold ? 0 : left };
}
