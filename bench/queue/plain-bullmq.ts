import { Queue, Worker } from 'bullmq';

export interface Drained {
  jobs: number;
  concurrency: number;
  /** Jobs a second, added in bulk. */
  added: number;
  /** Jobs a second, from the worker's start to the last completion. */
  drained: number;
}

/** As in BullMQ's own benchmark (taskforcesh/bullmq-bench): a tiny payload, 50 jobs in a bulk. */
const BULK = 50;

/** Empty jobs through a queue and a worker of BullMQ as it comes, with nothing of ours. Leaves nothing behind. */
export async function drainPlain(port: number, jobs: number, concurrency: number): Promise<Drained> {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = new Queue('plain', { connection });
  try {
    await queue.waitUntilReady();
    const beforeAdding = performance.now();
    for (let at = 0; at < jobs; at += BULK) {
      const bulk = Array.from({ length: Math.min(BULK, jobs - at) }, (_, i) => ({
        name: 'x',
        data: { n: at + i },
      }));
      await queue.addBulk(bulk);
    }
    const added = (1_000 * jobs) / (performance.now() - beforeAdding);
    let done = 0;
    let finished: () => void = () => {};
    const all = new Promise<void>((resolve) => {
      finished = resolve;
    });
    const start = performance.now();
    const worker = new Worker('plain', async () => {}, { connection, concurrency });
    worker.on('completed', () => {
      if (++done === jobs) finished();
    });
    await all;
    const drained = (1_000 * jobs) / (performance.now() - start);
    await worker.close();
    return { jobs, concurrency, added, drained };
  } finally {
    await queue.obliterate({ force: true });
    await queue.close();
  }
}
