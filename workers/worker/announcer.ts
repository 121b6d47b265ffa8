/** Says every few seconds that a worker is there, compares clocks, and sweeps results that are too old. */
import { hostname } from 'node:os';
import type { QueueStore, Retention } from '../queue/index.ts';

const EVERY_MS = 5_000;
const SWEEP_EVERY = 12;

interface Who {
  worker: string;
  configuration: string;
  made: unknown;
}

export class Announcer {
  readonly #store: QueueStore;
  readonly #who: Who;
  readonly #retention: Retention;
  readonly #startedAt: number;
  readonly #timer: NodeJS.Timeout;
  #rounds = 0;
  #busy = false;
  #running: Promise<void> = Promise.resolve();

  constructor(store: QueueStore, who: Who, retention: Retention) {
    this.#store = store;
    this.#who = who;
    this.#retention = retention;
    this.#startedAt = store.now();
    this.#round();
    this.#timer = setInterval(() => this.#round(), EVERY_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    await this.#store.leave(this.#who.worker);
  }

  /** What fails now is said again in a few seconds; while one round waits for Redis there is no other. */
  #round(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#running = this.#say()
      .catch(() => {})
      .finally(() => {
        this.#busy = false;
      });
  }

  async #say(): Promise<void> {
    const store = this.#store;
    await store.compareClocks();
    // Each is tried whatever became of the others: a full Redis refuses what is new, and sweeping is what helps it.
    // Said each time: a Redis that came back empty has forgotten it.
    await store.keep(this.#retention).catch(() => {});
    if (this.#rounds++ % SWEEP_EVERY === 0) await store.expire().catch(() => {});
    await store.announce({
      ...this.#who,
      host: hostname(),
      pid: process.pid,
      startedAt: this.#startedAt,
      seenAt: store.now(),
    });
  }
}
