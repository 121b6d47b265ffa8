/** What keeps an engine that ails from holding up those who ask: times, a second try, and rest after failures in a row. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenCircuitError, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { Call, IndexBackend } from './backend.ts';
import { cancelled } from './cancelled.ts';

export interface GuardLimits {
  /** Milliseconds for rankings, both tries together. Default 10,000. */
  searchMs: number;
  /** Milliseconds for passages by their ordinals and terms. Default 5,000. */
  readMs: number;
  /** Share of either that the first try may take, so that a second one has time. Default .4. */
  firstTry: number;
  /** Failures in a row after which an engine is left alone for `restMs`. Default 5. */
  failures: number;
  /** Default 5,000. */
  restMs: number;
}

const LIMITS: GuardLimits = { searchMs: 10_000, readMs: 5_000, firstTry: 0.4, failures: 5, restMs: 5_000 };
/** Milliseconds before a second try: those of a node that is gone come all at once. */
const PAUSE = { least: 20, spread: 80 } as const;

/**
 * The same backend, whose reads take no longer than `limits` say and are tried twice where it fails with BACKEND_UNAVAILABLE.
 * The second is sent after the first has failed and not beside it: what is slow because it has too much to do is not given
 * twice as much. After failures in a row it is not asked at all for a while, so that queries need not wait to hear the
 * same; then one is let through to see.
 */
export function guarded(backend: IndexBackend, limits: Partial<GuardLimits> = {}): IndexBackend {
  const { searchMs, readMs, firstTry, failures, restMs } = { ...LIMITS, ...limits };
  const breaker = circuitBreaker(handleWhen(isUnavailable), {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(failures),
  });
  let last = '';

  async function tried<T>(ms: number, read: (call: Call) => Promise<T>, signal: AbortSignal): Promise<T> {
    const until = performance.now() + ms;
    try {
      return await read({ signal, ms: Math.round(ms * firstTry) });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(PAUSE.least + Math.random() * PAUSE.spread, undefined, { signal }).catch(() => {});
      const left = Math.round(until - performance.now());
      if (signal.aborted || left < 1) throw error;
      return await read({ signal, ms: left }).catch((second: unknown) => {
        // Whoever gave up during the second try has still seen the first one fail.
        throw signal.aborted ? error : second;
      });
    }
  }

  async function guard<T>(longest: number, read: (call: Call) => Promise<T>, call: Call = {}): Promise<T> {
    const ms = Math.min(longest, call.ms ?? longest);
    const limit = AbortSignal.timeout(ms);
    const signal = call.signal === undefined ? limit : AbortSignal.any([call.signal, limit]);
    const failed = (error: unknown) =>
      limit.aborted && !call.signal?.aborted && !isUnavailable(error) ? tooSlow(backend.name, ms) : error;
    const run = () =>
      tried(ms, read, signal).catch((error: unknown) => {
        const failure = failed(error);
        if (isUnavailable(failure)) last = messageOf(failure);
        throw failure;
      });
    try {
      // Others wait while one is let through to see, but no longer than for their own.
      return await Promise.race([breaker.execute(run), ending(signal)]);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? resting(backend.name, restMs, last) : failed(error);
    }
  }

  return {
    name: backend.name,
    folder: backend.folder,
    manifest: backend.manifest,
    documents: backend.documents,
    identifiers: backend.identifiers,
    lexicons: backend.lexicons,
    search: (searches, call) => guard(searchMs, (own) => backend.search(searches, own), call),
    look: (ordinals, query, call) => guard(readMs, (own) => backend.look(ordinals, query, own), call),
    passages: (ordinals, call) => guard(readMs, (own) => backend.passages(ordinals, own), call),
    holding: (terms, most, call) => guard(readMs, (own) => backend.holding(terms, most, own), call),
    entriesOf: (terms, call) => guard(readMs, (own) => backend.entriesOf(terms, own), call),
    health: () => backend.health(),
    close: () => backend.close(),
  };
}

function isUnavailable(error: unknown): error is PragauraError {
  return PragauraError.isInstance(error) && error.code === 'BACKEND_UNAVAILABLE';
}

/** Rejects with ABORTED when the signal fires. */
function ending(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(cancelled(signal));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function tooSlow(name: string, ms: number): PragauraError {
  return new PragauraError('BACKEND_UNAVAILABLE', `${name} took longer than ${ms / 1000} s to answer.`, {
    hint: 'See whether it is overloaded, and ask again.',
  });
}

function resting(name: string, restMs: number, last: string): PragauraError {
  return new PragauraError(
    'BACKEND_UNAVAILABLE',
    `${name} has failed too often in a row and is left alone for ${restMs / 1000} s. It failed last with: ${last}`,
    { hint: 'See what ails it; it is asked again by itself.' },
  );
}
