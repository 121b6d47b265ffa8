/** Tries again what may go through later: bounded in number and in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from './errors.ts';

export interface RetryPolicy {
  /** Tries without progress before giving up. */
  tries: number;
  /** Delay before the second try; doubled with each further one. */
  firstDelayMs: number;
  /** A server that asks for a longer pause is not waited for. */
  longestDelayMs: number;
}

/** A failure that may pass. `error` is what is thrown when it does not. */
export class Passing extends Error {
  readonly error: PragauraError;
  /** What the server asked to wait. */
  readonly afterMs: number | undefined;
  /** Something was gained before it failed: the count of tries starts anew. */
  readonly progress: boolean;

  constructor(error: PragauraError, options: { afterMs?: number | undefined; progress?: boolean } = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.afterMs = options.afterMs;
    this.progress = options.progress ?? false;
  }
}

/**
 * Runs `attempt` until it does not throw `Passing`; `announce` is told of every pause. Throws what a `Passing` stands for
 * when it does not pass, and ABORTED (or what `aborted` makes of it) once the signal fires.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  attempt: () => Promise<T>,
  options: {
    signal?: AbortSignal | undefined;
    announce?: ((message: string) => void) | undefined;
    aborted?: (cause: unknown) => PragauraError;
  },
): Promise<T> {
  const { signal, aborted = interrupted } = options;
  let failures = 0;
  for (;;) {
    if (signal?.aborted) throw aborted(signal.reason);
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof Passing)) throw failure;
      failures = failure.progress ? 1 : failures + 1;
      const delay = failure.afterMs ?? policy.firstDelayMs * 2 ** (failures - 1);
      if (failures >= policy.tries || delay > policy.longestDelayMs) throw failure.error;
      options.announce?.(`${failure.message} Trying again in ${(delay / 1000).toFixed(1)} s.`);
      try {
        await sleep(delay, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        throw aborted(error);
      }
    }
  }
}

function interrupted(cause: unknown): PragauraError {
  return new PragauraError('ABORTED', 'Interrupted by the caller.', { cause });
}

/** Milliseconds of a Retry-After header (seconds, or a date); undefined when there is none that can be read. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
