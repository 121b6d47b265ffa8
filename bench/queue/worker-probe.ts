/**
 * Loaded into a worker with --import: answers, over the channel that the parent opened, how late the event loop of its
 * main thread (the one that talks to Redis) came and what memory it has, so that the program measured is the program as
 * it is.
 */
import { isMainThread } from 'node:worker_threads';
import { type LoopDelay, watchLoop } from '../measure/loop-delay.ts';
import { residentMiB } from '../measure/machine.ts';

export interface ProbeReport {
  /** Since the last report, or the start. */
  loop: LoopDelay;
  residentMiB: number;
  /** After a collection, where the process was started with --expose-gc. */
  heapMiB: number;
}

// Inference threads inherit --import.
if (isMainThread && process.send !== undefined) {
  let stop = watchLoop();
  process.on('message', () => {
    const loop = stop();
    globalThis.gc?.();
    const heapMiB = process.memoryUsage().heapUsed / 2 ** 20;
    process.send!({ loop, residentMiB: residentMiB(), heapMiB } satisfies ProbeReport);
    stop = watchLoop();
  });
  // The channel alone must not keep a worker from ending.
  process.channel!.unref();
}
