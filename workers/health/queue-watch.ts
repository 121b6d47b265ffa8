/** What health asks of a queue: how many jobs there are, and whether any can be had. */
import type { Lane, QueueStore } from '../queue/index.ts';
import type { LivenessProbe } from './liveness.ts';
import type { QueueCounts } from './metrics.ts';

/** A connection made for one question; one of ioredis, to a server or a cluster, fits. */
export interface FreshConnection {
  hexists(key: string, field: string): Promise<number>;
  pttl(key: string): Promise<number>;
  set(key: string, value: string, unit: 'PX', ms: number): Promise<unknown>;
  disconnect(): void;
}

const PATIENCE_MS = 3000;
const PROBE_LASTS_MS = 1000;
/** A scrape may come as often as it likes; Redis is asked once a second. */
const COUNTS_LAST_MS = 1000;

/** The promise, or null when it fails or takes longer than three seconds. */
async function inTime<T>(promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Jobs and results by state, asked for at most once a second; null without an answer. */
export function queueCounts(
  lane: Pick<Lane, 'counts'>,
  store: Pick<QueueStore, 'tally'>,
  now: () => number = () => performance.now(),
): QueueCounts {
  let asked: ReturnType<QueueCounts> | null = null;
  let askedAt = 0;
  return () => {
    if (asked === null || now() - askedAt > COUNTS_LAST_MS) {
      askedAt = now();
      asked = inTime(
        Promise.all([lane.counts(), store.tally()]).then(([jobs, kept]) => ({
          ...jobs,
          uncollected: kept.results - kept.collected,
          collected: kept.collected,
        })),
      );
    }
    return asked;
  };
}

/**
 * Asks by a connection of its own: those of the worker may be what is broken. It also writes a little: a Redis that is
 * full or read-only answers, but gives no worker a job, and no restart of a worker would change that. `lane`: prefix of
 * the lane's keys.
 */
export function queueProbe(lane: string, connect: () => Promise<FreshConnection>): LivenessProbe {
  return {
    async ask() {
      const connecting = connect();
      const connection = await inTime(connecting);
      if (connection === null) {
        // It may still come, when nobody waits for it any more.
        connecting.then((late) => late.disconnect()).catch(() => {});
        return 'unreachable';
      }
      try {
        const answer = await inTime(
          Promise.all([
            connection.hexists(`${lane}meta`, 'paused'),
            connection.pttl(`${lane}limiter`),
            connection.set(`${lane}probe`, '1', 'PX', PROBE_LASTS_MS),
          ]),
        );
        if (answer === null) return 'unreachable';
        const [paused, limitedMs] = answer;
        return paused === 1 || limitedMs > 0 ? 'paused' : 'working';
      } finally {
        connection.disconnect();
      }
    },
  };
}
