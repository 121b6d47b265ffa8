/** What passes when one waits: which errors of Redis do, and the waiting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSystemError, messageOf, PragauraError } from '../../common/index.ts';

/**
 * Replies of a Redis that is starting, full, moving, or cannot write its disk at the moment. Up to Redis 6.2 the reply
 * that ended a script stands inside of one about the script, after a colon and with its minus.
 */
const PASSING =
  /(?:^|: -)(OOM|LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|MISCONF|UNBLOCKED|EXECABORT)\b|Connection is closed|due to connection close|isn't writeable|max retries per request|timed out|Socket timeout|None of startup nodes|sentinels are unreachable|Failed to refresh slots/i;

/** Whether an error of Redis may be gone on the next try. */
export function isPassing(error: unknown): boolean {
  if (PragauraError.isInstance(error)) return false;
  return (
    PASSING.test(messageOf(error)) ||
    isSystemError(
      error,
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ETIMEDOUT',
      'ENOTFOUND',
      'EAI_AGAIN',
      'EHOSTUNREACH',
      'ENETUNREACH',
    )
  );
}

export interface Patience {
  /** How long to try; undefined: until `signal`. */
  ms?: number;
  signal?: AbortSignal | undefined;
  /** Told once, in a sentence, when the first try has failed. */
  say?: (message: string) => void;
}

const FIRST_MS = 50;
const MOST_MS = 1_000;

/** Tries until it succeeds. Throws what does not pass as it is, QUEUE_UNAVAILABLE when patience is over, ABORTED. */
export async function retrying<T>(run: () => Promise<T>, { ms, signal, say }: Patience): Promise<T> {
  const startedAt = performance.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (signal?.aborted) {
        throw new PragauraError('ABORTED', 'Stopped while Redis could not be used.', { cause: error });
      }
      if (ms !== undefined && performance.now() - startedAt >= ms) {
        throw new PragauraError('QUEUE_UNAVAILABLE', `Redis cannot be used: ${messageOf(error)}`, {
          hint: 'Is it running, and has it memory and disk left? What was submitted can be submitted again: nothing is done twice.',
          cause: error,
        });
      }
      if (tries === 0) say?.(`Redis cannot be used at the moment (${messageOf(error)}); trying again.`);
      const wait = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries, 10));
      await sleep(wait * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => {});
    }
  }
}
