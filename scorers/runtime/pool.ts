/** Inference threads behind one queue: starts them, feeds them, replaces those that die, closes them in peace. */
import { Worker } from 'node:worker_threads';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { Batch, CallOptions } from '../types.ts';
import type { ProcessorSums } from './arithmetic.ts';
import type {
  BatchFailure,
  BatchReply,
  FromThread,
  OutputSpec,
  ThreadModel,
  ThreadSetup,
  ToThread,
} from './protocol.ts';
import { type Forward, type Item, Queue, type Sequence } from './queue.ts';

/** Padded tokens of a batch at most; small enough that a newcomer soon gets its turn. */
const BATCH_TOKENS = 512;
/** Batches given to a thread at a time: one runs, one waits there so that the thread never idles. */
const DEPTH = 2;
/**
 * Stack of a thread in MB, of which only what is used is ever taken. ONNX Runtime matches a regular expression against the
 * command line of its process when it is loaded, a few hundred bytes of stack a character: with the 4 MB that threads have
 * else a command line of 15 kB, such as a few hundred names of files, is a segmentation fault.
 */
const STACK_MB = 256;

interface Slot {
  worker: Worker;
  batches: Map<number, Item[]>;
  closed: Promise<void>;
}

/** Why a thread could not be started: the model that it could not use, if it came that far. */
export class StartFailure extends Error {
  readonly model: string | null;
  constructor(message: string, model: string | null) {
    super(message);
    this.model = model;
  }
}

/** What a call gets that comes after `close`. */
export function closedError(): PragauraError {
  return new PragauraError('SCORING_FAILED', 'scoring failed: the scorers are closed', {
    hint: 'close them after the last call, or open new ones',
  });
}

export class Pool {
  readonly #setup: ThreadSetup;
  readonly #models: Promise<readonly ThreadModel[]>;
  readonly #url: URL;
  readonly #onBatch: (batch: Batch) => void;
  readonly #onRun: (ms: number) => void;
  readonly #outputs = new Map<string, readonly OutputSpec[]>();
  readonly #stacked = new Set<string>();
  readonly #queue = new Queue();
  readonly #slots = new Set<Slot>();
  #batchId = 0;
  /** Threads that were ever given the models. */
  #started = 0;
  /** Threads on their way to a slot. Never rejects. */
  readonly #starting = new Set<Promise<void>>();
  /** What the processor makes of 8-bit products, once a thread has found out; null on a device. */
  sums: ProcessorSums | null = null;
  /** Threads that there should be. */
  #target = 0;
  #closing = false;
  #pumpPlanned = false;

  /** `models`: may still be on their way, threads come up meanwhile. */
  constructor(
    setup: ThreadSetup,
    models: Promise<readonly ThreadModel[]>,
    url: URL,
    onBatch: (batch: Batch) => void = () => {},
    onRun: (ms: number) => void = () => {},
  ) {
    this.#setup = setup;
    this.#url = url;
    this.#onBatch = onBatch;
    this.#onRun = onRun;
    this.#models = models.then((known) => {
      for (const { name, outputs, batching } of known) {
        this.#outputs.set(name, outputs);
        if (batching === 'stacked') this.#stacked.add(name);
      }
      return known;
    });
    // Every thread that waits for them hears of it.
    this.#models.catch(() => {});
  }

  /** Starts one more thread; throws StartFailure, or why there are no models. */
  async grow(): Promise<void> {
    await this.#start();
    this.#target += 1;
  }

  /** When no thread is left and none comes, what waits is refused; the next call tries anew. */
  #start(): Promise<void> {
    const started = this.#newSlot();
    const settled: Promise<void> = started.then(
      () => void this.#starting.delete(settled),
      (error: unknown) => {
        this.#starting.delete(settled);
        if (this.#slots.size + this.#starting.size === 0) this.#queue.refuseAll(messageOf(error));
      },
    );
    this.#starting.add(settled);
    return started;
  }

  /** Throws StartFailure where the system gives no thread, which Node says at once. */
  #newWorker(): Worker {
    try {
      return new Worker(this.#url, {
        workerData: this.#setup,
        name: 'pragaura-scorer',
        resourceLimits: { stackSizeMb: STACK_MB },
      });
    } catch (error) {
      throw new StartFailure(`no inference thread can be started: ${messageOf(error)}`, null);
    }
  }

  async #newSlot(): Promise<void> {
    const worker = this.#newWorker();
    const closed = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    let deathReason = 'the inference thread ended';
    worker.on('error', (error) => {
      deathReason = `the inference thread died: ${messageOf(error)}`;
    });
    return await new Promise((resolve, reject) => {
      const onExit = (): void => reject(new StartFailure(deathReason, null));
      worker.once('exit', onExit);
      this.#models.then(
        (models) => {
          // Not all threads begin with the same: what loading takes for a moment is not taken at the same time.
          const turn = this.#started % models.length;
          this.#started += 1;
          const load = [...models.slice(turn), ...models.slice(0, turn)];
          worker.postMessage({ load } satisfies ToThread);
        },
        (error: unknown) => {
          worker.off('exit', onExit);
          void closed.then(() => reject(error));
          worker.postMessage('close' satisfies ToThread);
        },
      );
      worker.once('message', (message: FromThread) => {
        worker.off('exit', onExit);
        if ('ready' in message) {
          this.sums = message.sums;
          const slot: Slot = { worker, batches: new Map(), closed };
          worker.on('message', (next: FromThread) => this.#received(slot, next));
          worker.once('exit', () => this.#died(slot, deathReason));
          worker.unref();
          this.#slots.add(slot);
          // At once: a thread that dies now must have cost an attempt, so that it is not replaced for ever.
          this.#pump();
          return resolve();
        }
        const { unusable, model } = message as { unusable: string; model: string };
        void closed.then(() => reject(new StartFailure(unusable, model)));
        void worker.terminate();
      });
    });
  }

  /** Runs sequences through a model; see `Queue.submit`. Calls made in one tick share what they have in common. */
  async run(model: string, sequences: readonly Sequence[], options: CallOptions): Promise<Forward[]> {
    if (this.#closing) throw closedError();
    const result = this.#queue.submit(model, sequences, options);
    this.#plan();
    return await result;
  }

  #plan(): void {
    if (this.#pumpPlanned) return;
    this.#pumpPlanned = true;
    setImmediate(() => {
      this.#pumpPlanned = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#queue.waitingTokens > 0) this.#replace();
    for (let depth = 0; depth < DEPTH; depth += 1) {
      for (const slot of this.#slots) {
        if (slot.batches.size > depth) continue;
        // Smaller batches towards the end, so that the threads finish together.
        const share = Math.ceil(this.#queue.waitingTokens / (DEPTH * this.#slots.size));
        const batch = this.#queue.next(Math.min(BATCH_TOKENS, share), (model) => this.#stacked.has(model));
        if (batch.length === 0) return;
        this.#send(slot, batch);
      }
    }
  }

  #send(slot: Slot, batch: Item[]): void {
    const lengths = Int32Array.from(batch, (item) => item.sequence.ids.length);
    const ids = new Int32Array(lengths.reduce((n, length) => n + length, 0));
    let at = 0;
    for (const { sequence } of batch) {
      ids.set(sequence.ids, at);
      at += sequence.ids.length;
    }
    const seconds = Int32Array.from(batch, (item) => item.sequence.second);
    this.#batchId += 1;
    const hidden = hiddenOf(batch);
    const message: ToThread = { id: this.#batchId, model: batch[0]!.model, ids, lengths, seconds, hidden };
    const moved = hidden === undefined ? [] : [hidden.buffer];
    const tokens = this.#stacked.has(message.model) ? batch.length * Math.max(...lengths) : at;
    slot.batches.set(this.#batchId, batch);
    slot.worker.ref();
    slot.worker.postMessage(message, [ids.buffer, lengths.buffer, seconds.buffer, ...moved]);
    this.#onBatch({ model: message.model, sequences: batch.length, fill: tokens / BATCH_TOKENS });
  }

  #received(slot: Slot, message: FromThread): void {
    const { id } = message as BatchReply | BatchFailure;
    const batch = slot.batches.get(id);
    if (batch === undefined) return;
    slot.batches.delete(id);
    if (slot.batches.size === 0 && !this.#closing) slot.worker.unref();
    if ('failed' in message) for (const item of batch) this.#queue.failed(item, message.failed);
    else {
      const { ms, outputs } = message as BatchReply;
      this.#onRun(ms);
      this.#deliver(batch, outputs);
    }
    this.#pump();
  }

  #deliver(batch: Item[], outputs: Float32Array[]): void {
    const specs = this.#outputs.get(batch[0]!.model)!;
    const at = specs.map(() => 0);
    for (const item of batch) {
      const result = specs.map(({ kind, width }, o) => {
        const whole = outputs[o]!;
        const size = kind === 'tokens' ? item.sequence.ids.length * width : whole.length / batch.length;
        at[o]! += size;
        return whole.subarray(at[o]! - size, at[o]!);
      });
      this.#queue.done(item, result);
    }
  }

  #died(slot: Slot, reason: string): void {
    this.#slots.delete(slot);
    // Batches run in order: the first one was running, the others had not begun.
    const [running = [], ...others] = slot.batches.values();
    const isIdle = slot.batches.size === 0;
    slot.batches.clear();
    for (const item of running) this.#queue.failed(item, reason);
    for (const item of others.flat()) this.#queue.again(item);
    // An idle thread is replaced when there is work again.
    if (!isIdle && !this.#closing) this.#replace();
    this.#pump();
  }

  /**
   * Starts the threads that are missing. This ends, however often they die: every death over a batch costs its
   * sequences one of their two attempts.
   */
  #replace(): void {
    while (this.#slots.size + this.#starting.size < this.#target) {
      this.#start().catch(() => {
        // Go on with fewer, rather than try again with every batch.
        this.#target = Math.max(1, this.#target - 1);
      });
    }
  }

  /** Takes nothing new, lets the runs that were taken finish, then ends the threads. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#queue.drained();
    await Promise.all(this.#starting);
    const slots = [...this.#slots];
    for (const { worker } of slots) {
      worker.ref();
      worker.postMessage('close' satisfies ToThread);
    }
    await Promise.all(slots.map((slot) => slot.closed));
  }
}

/** The hidden states of a batch laid end to end, copied because a caller may still want its own. */
function hiddenOf(batch: readonly Item[]): Float32Array<ArrayBuffer> | undefined {
  const parts = batch.flatMap(({ sequence }) => (sequence.hidden === undefined ? [] : [sequence.hidden]));
  if (parts.length === 0) return undefined;
  const joined = new Float32Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
