/** Taking jobs out of a queue, so that nobody waits for them for ever. */
import { QueryJob } from '../types.ts';
import type { Lane } from './lane.ts';
import type { QueueStore } from './store.ts';

const AT_ONCE = 500;

/** Removes a job that waits or is a dead letter; false where it is neither. */
export async function dropJob(lane: Lane, store: QueueStore, jobId: string): Promise<boolean> {
  const waiting = await lane.find(jobId);
  if (waiting === null || !(await lane.remove(jobId))) return false;
  await answer(waiting, store);
  return true;
}

/** Removes all dead letters and returns how many; their errors stay as results. */
export async function dropDead(lane: Lane, signal: AbortSignal): Promise<number> {
  return removed(
    lane,
    signal,
    () => lane.dead(0, AT_ONCE - 1),
    async () => {},
  );
}

/** Removes all jobs that wait and returns how many; each gets an error as its result. */
export async function dropWaiting(lane: Lane, store: QueueStore, signal: AbortSignal): Promise<number> {
  return removed(
    lane,
    signal,
    () => lane.waiting(AT_ONCE),
    (job) => answer(job, store),
  );
}

async function removed<J extends { jobId: string }>(
  lane: Lane,
  signal: AbortSignal,
  next: () => Promise<J[]>,
  then: (job: J) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (;;) {
    const before = count;
    for (const job of await next()) {
      if (signal.aborted) return count;
      if (!(await lane.remove(job.jobId))) continue;
      await then(job);
      count += 1;
    }
    // What could not be removed is being worked on, and is in no line any more.
    if (count === before) return count;
  }
}

async function answer({ jobId, data }: { jobId: string; data: unknown }, store: QueueStore): Promise<void> {
  const parsed = QueryJob.safeParse(data);
  if (!parsed.success) return;
  const { digest, configuration, generation, tenant, query } = parsed.data;
  await store.finish({
    schema: 'pragaura.result/1',
    digest,
    configuration,
    jobId,
    generation,
    tenant,
    id: query.id,
    error: { code: 'JOB_FAILED', message: 'The job was dropped by an operator.' },
    attempts: 1,
    worker: 'nobody',
    finishedAt: store.now(),
  });
}
