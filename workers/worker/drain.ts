/** The end of a worker on BullMQ, whatever its jobs are. */
import type { Worker } from 'bullmq';
import type { Announcer } from './announcer.ts';

/** For what was handed back to reach Redis, and for BullMQ to close. */
export const GRACE_MS = 1_500;

/**
 * Takes no more jobs, and lets what is worked on be finished within `ms` milliseconds or until `now` fires; then fires `giveBack`,
 * and closes, a lost connection or not. Never rejects.
 */
export async function drained(
  { worker, announcer, giveBack }: { worker: Worker; announcer: Announcer; giveBack: AbortController },
  ms: number,
  now?: AbortSignal,
): Promise<void> {
  const closed = worker.close();
  closed.catch(() => {});
  await within(ms, closed, now);
  giveBack.abort();
  if (!(await within(GRACE_MS, closed))) await within(GRACE_MS, worker.disconnect());
  await within(GRACE_MS, announcer.close());
}

/** Whether it settled in time, and before `now`. Never rejects. */
export async function within(ms: number, promise: Promise<unknown>, now?: AbortSignal): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let late = () => {};
  const tooLate = new Promise<boolean>((resolve) => {
    late = () => resolve(false);
    timer = setTimeout(late, now?.aborted ? 0 : ms);
    now?.addEventListener('abort', late);
  });
  try {
    const settled = promise.then(
      () => true,
      () => true,
    );
    return await Promise.race([settled, tooLate]);
  } finally {
    clearTimeout(timer);
    now?.removeEventListener('abort', late);
  }
}
