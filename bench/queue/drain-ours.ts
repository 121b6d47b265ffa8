import { setTimeout as sleep } from 'node:timers/promises';
import { isExact, judge, kill, LineCollector } from '../../workers/faults/index.ts';
import { connectRedis, disconnectRedis, QueueStore } from '../../workers/queue/index.ts';
import { askProbe } from './fleet.ts';
import { fleet, never, queriesOf, read, startLight, submitted } from './light-jobs.ts';
import type { Drained } from './plain-bullmq.ts';

const LOOK_MS = 5;

export interface DrainedOurs extends Drained {
  /** Milliseconds that the event loop of the worker came late. */
  loop: { p50: number; p99: number; max: number };
  exact: boolean;
}

/** Empty jobs through `submit` and a worker: all of ours around BullMQ, and each result held against the oracle. */
export async function drainOurs(redis: string, jobs: number, concurrency: number): Promise<DrainedOurs> {
  const queue = `drain-${concurrency}`;
  const queries = queriesOf(jobs, 'drain');
  const client = await connectRedis(redis, 'worker');
  const store = new QueueStore(client, queue);
  const beforeAdding = performance.now();
  await submitted(redis, queue, queries, jobs + 1);
  const added = (1_000 * jobs) / (performance.now() - beforeAdding);
  const worker = await startLight(redis, queue, concurrency);
  try {
    // From the first result that is seen to the last: starting the process is no part of it.
    let first = 0;
    let start = 0;
    let written = 0;
    while (written < jobs) {
      written = (await store.tally()).results;
      if (start === 0 && written > 0) [first, start] = [written, performance.now()];
      await sleep(LOOK_MS);
    }
    const drained = (1_000 * (jobs - first)) / (performance.now() - start);
    const { loop } = await askProbe(worker);
    const output = new LineCollector();
    await read(redis, queue, output, false, never());
    const exact = isExact(judge(await fleet.expected(queries), output.lines));
    return { jobs, concurrency, added, drained, loop, exact };
  } finally {
    await kill(worker);
    await disconnectRedis(client);
  }
}
