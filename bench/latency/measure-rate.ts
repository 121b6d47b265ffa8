import { messageOf, type Random, randomInteger } from '../../common/index.ts';
import type { Query, Router } from '../../router/index.ts';
import { type LoopDelay, watchLoop } from '../measure/loop-delay.ts';
import { ActLatencies, type ActReport } from './act-latencies.ts';
import { openLoop } from './open-loop.ts';
import { type Arrivals, startTimes } from './schedule.ts';

export interface RateReport {
  arrivals: Arrivals;
  /** Queries a second, as planned. */
  rate: number;
  n: number;
  /** Queries a second from the first intended start to the last end; the end of the last ones counts, so less than `rate`. */
  achieved: number;
  failed: number;
  /** The first failure, in words. */
  failure: string | null;
  /** Queries that waited for a place in the window at a time, at most. */
  mostWaiting: number;
  /** Of this thread, which also retrieves. */
  loop: LoopDelay;
  all: ActReport;
  acts: Record<string, ActReport>;
}

export interface RateOptions {
  arrivals: Arrivals;
  rate: number;
  n: number;
  window: number;
  random: Random;
}

/** An open loop of queries, drawn at random from `queries`, through the router. */
export async function measureRate(
  router: Pick<Router, 'route'>,
  queries: readonly Query[],
  { arrivals, rate, n, window, random }: RateOptions,
): Promise<RateReport> {
  const plan = startTimes(arrivals, rate, n, random);
  const drawn = plan.map(() => queries[randomInteger(random, queries.length)]!);
  const latencies = new ActLatencies();
  const failures: unknown[] = [];
  const stop = watchLoop();
  const { elapsedMs, mostWaiting } = await openLoop(
    (place) => router.route(drawn[place]!),
    { plan, window },
    ({ intended, taken, ended, outcome }) => {
      if ('error' in outcome) failures.push(outcome.error);
      else {
        const { act, timings } = outcome.value;
        latencies.record(act.label, ended - intended, ended - taken, timings);
      }
    },
  );
  return {
    arrivals,
    rate,
    n,
    achieved: (1_000 * n) / elapsedMs,
    failed: failures.length,
    failure: failures.length === 0 ? null : messageOf(failures[0]),
    mostWaiting,
    loop: stop(),
    ...latencies.report(),
  };
}
