import { setTimeout as sleep } from 'node:timers/promises';

/** One query of an open loop; all in milliseconds of `performance.now()`. */
export interface Sample<T> {
  place: number;
  /** When the plan wanted it to start, whatever was still running then. */
  intended: number;
  /** When it was taken up: later than intended when the window was full or the timer was late. */
  taken: number;
  ended: number;
  outcome: { value: T } | { error: unknown };
}

export interface OpenLoopOptions {
  /** Intended starts in milliseconds from now, ascending. */
  plan: readonly number[];
  /** Taken up at a time at most; what arrives beyond that waits, and its waiting counts. */
  window: number;
  /** For tests with a clock of their own. */
  clock?: Clock;
}

interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const realClock: Clock = { now: () => performance.now(), sleep };

/**
 * Runs `work` at the planned times, whether or not earlier work has ended, and hands every sample to `record`. Gives
 * the milliseconds from the beginning to the last end, and the most that ever waited for a place in the window.
 *
 * Response time is `ended - intended`, service time `ended - taken`: a stall shows in the response time of everything
 * that was due meanwhile, so nothing is corrected afterwards.
 */
export async function openLoop<T>(
  work: (place: number) => Promise<T>,
  { plan, window, clock = realClock }: OpenLoopOptions,
  record: (sample: Sample<T>) => void,
): Promise<{ elapsedMs: number; mostWaiting: number }> {
  const begin = clock.now();
  const waiting: number[] = [];
  const running = new Set<Promise<void>>();
  let mostWaiting = 0;

  const start = (place: number) => {
    const taken = clock.now();
    const run = Promise.resolve()
      .then(() => work(place))
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      .then((outcome) => {
        const ended = clock.now();
        record({ place, intended: begin + plan[place]!, taken, ended, outcome });
        running.delete(run);
        const next = waiting.shift();
        if (next !== undefined) start(next);
      });
    running.add(run);
  };

  for (let place = 0; place < plan.length; place++) {
    const early = begin + plan[place]! - clock.now();
    if (early > 0) await clock.sleep(early);
    if (running.size < window) start(place);
    else mostWaiting = Math.max(mostWaiting, waiting.push(place));
  }
  while (running.size > 0) await Promise.race(running);
  return { elapsedMs: clock.now() - begin, mostWaiting };
}
