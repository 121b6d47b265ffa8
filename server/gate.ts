/** How much is worked on at a time, and whose turn it is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { PragauraError } from '../common/index.ts';
import type { Caller } from './callers.ts';

export interface GateOptions {
  /** Queries in work at most. */
  concurrency: number;
  /** Requests that wait for a place at most; lines of streams wait beside them, as many as their windows hold. */
  waiting: number;
  /** Queries a minute of a caller whose key says nothing else; null: no limit. */
  perMinute: number | null;
}

/** A TOO_BUSY that says when to come back. */
export class TooBusy extends PragauraError {
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;

  constructor(message: string, seconds: number) {
    const retryAfter = Math.max(1, Math.ceil(seconds));
    super('TOO_BUSY', message, { hint: `Try again in ${retryAfter} s.` });
    this.retryAfter = retryAfter;
  }
}

interface Waiter {
  enter(): void;
}

/** Seconds of one query, until there is a measurement. */
const FIRST_GUESS = 0.3;
const LEARNING = 0.1;

/** Callers take turns: of many that wait the next is not the one who asked most. */
export class Gate {
  readonly #options: GateOptions;
  /** Callers in the order of their turns; nobody in it has nothing waiting. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #limiters = new Map<number, RateLimiterMemory>();
  #seconds = FIRST_GUESS;
  /** Requests that wait; lines of streams are not counted. */
  #requests = 0;
  inWork = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Runs `work` when it is the caller's turn. Throws TooBusy where the caller has used up the minute or too many wait;
   * `patient` waits instead. Throws the reason of `signal` where that fires first.
   */
  async run<T>(caller: Caller, signal: AbortSignal, work: () => Promise<T>, patient = false): Promise<T> {
    await this.#consume(caller, signal, patient);
    await this.#enter(caller.id, signal, patient);
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.#seconds += LEARNING * ((performance.now() - began) / 1000 - this.#seconds);
      this.inWork -= 1;
      this.#next();
    }
  }

  async #consume(caller: Caller, signal: AbortSignal, patient: boolean): Promise<void> {
    const points = caller.perMinute ?? this.#options.perMinute;
    if (points === null) return;
    const limiter = this.#limiters.get(points) ?? new RateLimiterMemory({ points, duration: 60 });
    this.#limiters.set(points, limiter);
    for (;;) {
      try {
        await limiter.consume(caller.id);
        return;
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const seconds = refused.msBeforeNext / 1000;
        if (!patient) throw new TooBusy(`More than ${points} queries a minute were asked.`, seconds);
        // Timers may be early by a millisecond.
        await sleep(refused.msBeforeNext + 1, undefined, { signal });
      }
    }
  }

  #enter(caller: string, signal: AbortSignal, patient: boolean): Promise<void> {
    signal.throwIfAborted();
    if (this.inWork < this.#options.concurrency) {
      this.inWork += 1;
      return Promise.resolve();
    }
    if (!patient && this.#requests >= this.#options.waiting) {
      const ahead = this.#options.waiting / this.#options.concurrency;
      return Promise.reject(
        new TooBusy('The server has as much to do as it takes on.', ahead * this.#seconds),
      );
    }
    if (!patient) this.#requests += 1;
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(caller) ?? [];
      const left = () => {
        signal.removeEventListener('abort', onAbort);
        if (!patient) this.#requests -= 1;
      };
      const waiter: Waiter = {
        enter: () => {
          left();
          this.inWork += 1;
          resolve();
        },
      };
      const onAbort = () => {
        line.splice(line.indexOf(waiter), 1);
        if (line.length === 0) this.#waiting.delete(caller);
        left();
        reject(signal.reason);
      };
      line.push(waiter);
      this.#waiting.set(caller, line);
      signal.addEventListener('abort', onAbort);
    });
  }

  #next(): void {
    const [turn] = this.#waiting;
    if (turn === undefined) return;
    const [caller, line] = turn;
    const waiter = line.shift()!;
    // Behind all others, if there is more.
    this.#waiting.delete(caller);
    if (line.length > 0) this.#waiting.set(caller, line);
    waiter.enter();
  }
}
