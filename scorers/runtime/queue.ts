/**
 * The micro-batcher's queue: what waits to be run, for whom, and what goes into the next batch. Knows nothing of
 * threads. Sequences that are the same for the model are run once, whoever asked for them and for which head.
 */
import { PragauraError } from '../../common/index.ts';
import type { CallOptions } from '../types.ts';

/**
 * A sequence ready for a model. `second`: the place from which on the token type is 1. `hidden`: what the lower half of a
 * graph made of it, for the upper half; the same ids always have the same.
 */
export interface Sequence {
  ids: readonly number[];
  second: number;
  hidden?: Float32Array;
}

/** The numbers of each output of the model, in the order of its specification. */
export type Forward = readonly Float32Array[];

interface Call {
  lane: Item[];
  /** Next place in `lane`. */
  at: number;
  settle(index: number, result: Forward): void;
  reject(error: PragauraError): void;
}

export interface Item {
  readonly key: string;
  readonly model: string;
  readonly sequence: Sequence;
  readonly waiters: Set<{ call: Call; index: number }>;
  attempts: number;
  state: 'waiting' | 'running' | 'gone';
}

/** Longest delay that setTimeout takes; a later deadline needs no timer. */
const MAX_DELAY = 2_147_483_647;

export class Queue {
  readonly #byKey = new Map<string, Item>();
  /** Callers with something waiting, in the order in which they are served. */
  #calls: Call[] = [];
  readonly #again: Item[] = [];
  #waitingTokens = 0;
  #open = 0;
  #whenEmpty: (() => void)[] = [];

  /** Tokens of what waits. */
  get waitingTokens(): number {
    return this.#waitingTokens;
  }

  /**
   * Queues sequences for a model; resolves to their outputs in order. Rejects with ABORTED or DEADLINE_EXCEEDED
   * as soon as the caller has gone or its time is up: what has not started is then not run, unless another caller
   * waits for it too.
   */
  submit(
    model: string,
    sequences: readonly Sequence[],
    { signal, deadline }: CallOptions,
  ): Promise<Forward[]> {
    if (sequences.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const results: Forward[] = new Array(sequences.length);
      let missing = sequences.length;
      let timer: NodeJS.Timeout | undefined;
      const items: Item[] = [];
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        missing = 0;
        this.#open -= 1;
        if (this.#open === 0) for (const done of this.#whenEmpty.splice(0)) done();
      };
      const call: Call = {
        lane: [],
        at: 0,
        settle: (index, result) => {
          if (missing === 0) return;
          results[index] = result;
          missing -= 1;
          if (missing > 0) return;
          finish();
          resolve(results);
        },
        reject: (error) => {
          if (missing === 0) return;
          finish();
          for (const item of items) this.#leave(item, call);
          reject(error);
        },
      };
      const onAbort = (): void => call.reject(new PragauraError('ABORTED', 'the caller cancelled'));
      const onLate = (): void => call.reject(new PragauraError('DEADLINE_EXCEEDED', 'the deadline passed'));

      this.#open += 1;
      const left = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - Date.now();
      if (signal?.aborted) return onAbort();
      if (!(left > 0)) return onLate();
      if (left <= MAX_DELAY) timer = setTimeout(onLate, left);
      signal?.addEventListener('abort', onAbort, { once: true });

      sequences.forEach((sequence, index) => {
        const item = this.#join(model, sequence, call);
        item.waiters.add({ call, index });
        items.push(item);
      });
      // Longest first: the short ones fill the gaps at the end.
      call.lane.sort((a, b) => b.sequence.ids.length - a.sequence.ids.length);
      if (call.lane.length > 0) this.#calls.push(call);
    });
  }

  /** The same sequence, if it waits or runs already; otherwise a new item in the caller's lane. */
  #join(model: string, sequence: Sequence, call: Call): Item {
    const key = `${model}\n${sequence.second}\n${sequence.ids.join()}`;
    let item = this.#byKey.get(key);
    if (item === undefined) {
      item = { key, model, sequence, waiters: new Set(), attempts: 0, state: 'waiting' };
      this.#byKey.set(key, item);
      call.lane.push(item);
      this.#waitingTokens += sequence.ids.length;
    }
    return item;
  }

  #leave(item: Item, call: Call): void {
    for (const waiter of item.waiters) if (waiter.call === call) item.waiters.delete(waiter);
    if (item.waiters.size === 0 && item.state === 'waiting') {
      this.#waitingTokens -= item.sequence.ids.length;
      this.#remove(item);
    }
  }

  #remove(item: Item): void {
    item.state = 'gone';
    if (this.#byKey.get(item.key) === item) this.#byKey.delete(item.key);
  }

  /**
   * The next batch, all for one model: callers in turn give one sequence each until the padded tokens reach
   * `budget` (at least one sequence). Empty when nothing waits. What failed before runs alone, so that it cannot
   * take others with it.
   */
  next(budget: number, padded: (model: string) => boolean): Item[] {
    for (let item = this.#again.shift(); item !== undefined; item = this.#again.shift()) {
      if (item.state === 'waiting') return this.#take([item]);
    }
    const batch: Item[] = [];
    let longest = 0;
    let tokens = 0;
    const skipped: Call[] = [];
    for (let call = this.#calls.shift(); call !== undefined; call = this.#calls.shift()) {
      while (call.at < call.lane.length && call.lane[call.at]!.state !== 'waiting') call.at += 1;
      const item = call.lane[call.at];
      if (item === undefined) continue;
      const first = batch[0];
      if (first !== undefined && first.model !== item.model) {
        skipped.push(call);
        continue;
      }
      const length = item.sequence.ids.length;
      longest = Math.max(longest, length);
      tokens = padded(item.model) ? (batch.length + 1) * longest : tokens + length;
      if (first !== undefined && tokens > budget) {
        skipped.push(call);
        break;
      }
      batch.push(item);
      call.at += 1;
      this.#calls.push(call);
    }
    this.#calls = [...skipped, ...this.#calls];
    return this.#take(batch);
  }

  #take(batch: Item[]): Item[] {
    for (const item of batch) {
      item.state = 'running';
      this.#waitingTokens -= item.sequence.ids.length;
    }
    return batch;
  }

  done(item: Item, result: Forward): void {
    this.#remove(item);
    for (const { call, index } of item.waiters) call.settle(index, result);
  }

  /** Gives an item one more try; the second failure is the callers' (SCORING_FAILED). */
  failed(item: Item, reason: string): void {
    item.attempts += 1;
    if (item.attempts > 1) this.refuse(item, reason);
    else this.again(item);
  }

  /** Puts back, ahead of the others, what was taken and not begun. */
  again(item: Item): void {
    if (item.waiters.size === 0) {
      this.#remove(item);
      return;
    }
    item.state = 'waiting';
    this.#waitingTokens += item.sequence.ids.length;
    this.#again.push(item);
  }

  refuse(item: Item, reason: string): void {
    if (item.state === 'waiting') this.#waitingTokens -= item.sequence.ids.length;
    this.#remove(item);
    const error = new PragauraError('SCORING_FAILED', `scoring failed: ${reason}`, {
      hint: 'try again; if it stays, `pragaura doctor` checks models and threads',
    });
    for (const { call } of [...item.waiters]) call.reject(error);
  }

  /** Refuses everything that waits. */
  refuseAll(reason: string): void {
    for (const item of [...this.#byKey.values()]) if (item.state === 'waiting') this.refuse(item, reason);
  }

  /** Resolves when no caller waits any more. */
  async drained(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }
}
