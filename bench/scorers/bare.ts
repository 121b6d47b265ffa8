import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { InferenceSession } from 'onnxruntime-node';
import type { BareRun } from '../../scorers/index.ts';

/** Padded tokens of a stacked tensor at most, as in the product. */
const BATCH_TOKENS = 512;

export interface Batch {
  rows: number;
  width: number;
  ids: BigInt64Array;
  mask: BigInt64Array;
  types: BigInt64Array;
}

export interface BareSetup {
  /** A path where the graph is read from a file. */
  weights: Uint8Array | string;
  session: InferenceSession.SessionOptions;
  outputs: string[];
  batches: Batch[];
  /** Of the batch that is taken next; shared by all threads. */
  next: SharedArrayBuffer;
}

/** Longest first, which leaves the threads least unevenly loaded; stacked only where the product stacks. */
export function batchesOf({ sequences, batching }: Pick<BareRun, 'sequences' | 'batching'>): Batch[] {
  const sorted = [...sequences].sort((a, b) => b.ids.length - a.ids.length);
  const batches: Batch[] = [];
  let from = 0;
  while (from < sorted.length) {
    const width = sorted[from]!.ids.length;
    const rows = batching === 'single' ? 1 : Math.max(1, Math.floor(BATCH_TOKENS / width));
    const taken = sorted.slice(from, from + rows);
    const batch = {
      rows: taken.length,
      width,
      ids: new BigInt64Array(taken.length * width),
      mask: new BigInt64Array(taken.length * width),
      types: new BigInt64Array(taken.length * width),
    };
    for (const [row, { ids, second }] of taken.entries()) {
      batch.ids.set(ids.map(BigInt), row * width);
      batch.mask.fill(1n, row * width, row * width + ids.length);
      batch.types.fill(1n, row * width + second, row * width + ids.length);
    }
    batches.push(batch);
    from += taken.length;
  }
  return batches;
}

/** Sessions in so many threads, fed with ready-made tensors and without a queue: what the runtime itself can do. */
export class BareRuntime {
  readonly #workers: Worker[];
  readonly #next: Int32Array;
  /** Of the session that took longest to make. */
  readonly loadMs: number;

  private constructor(workers: Worker[], next: Int32Array, loadMs: number) {
    this.#workers = workers;
    this.#next = next;
    this.loadMs = loadMs;
  }

  static async open(
    run: Omit<BareSetup, 'batches' | 'next'>,
    batches: Batch[],
    threads: number,
  ): Promise<BareRuntime> {
    const next = new SharedArrayBuffer(4);
    const setup: BareSetup = { ...run, batches, next };
    const workers = Array.from(
      { length: threads },
      () => new Worker(new URL('./bare-thread.js', import.meta.url), { workerData: setup }),
    );
    const ready = (await Promise.all(workers.map((worker) => once(worker, 'message')))) as [
      { loadMs: number },
    ][];
    const loadMs = Math.max(...ready.map(([report]) => report.loadMs));
    return new BareRuntime(workers, new Int32Array(next), loadMs);
  }

  /** Runs every batch once. */
  async run(): Promise<void> {
    Atomics.store(this.#next, 0, 0);
    const done = this.#workers.map((worker) => once(worker, 'message'));
    for (const worker of this.#workers) worker.postMessage('go');
    await Promise.all(done);
  }

  async close(): Promise<void> {
    const ended = this.#workers.map((worker) => once(worker, 'exit'));
    for (const worker of this.#workers) worker.postMessage('close');
    await Promise.all(ended);
  }
}
