/** Waiting for an engine that takes nothing at the moment: away, red, over a watermark, out of connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PragauraError } from '../../common/index.ts';

const FIRST_MS = 500;
const MOST_MS = 30_000;

export interface EnginePatience {
  /** Milliseconds to wait in all; default without an end. */
  ms?: number;
  signal?: AbortSignal | undefined;
  /** Told before each pause what failed. */
  onPause?: (error: PragauraError) => void;
}

/** Tries until the engine takes it, with pauses that grow. Throws BACKEND_UNAVAILABLE when patience is over, ABORTED, and anything else at once. */
export async function untilTaken<T>(
  work: () => Promise<T>,
  { ms, signal, onPause }: EnginePatience,
): Promise<T> {
  const began = performance.now();
  for (let pause = FIRST_MS; ; pause = Math.min(MOST_MS, 2 * pause)) {
    try {
      return await work();
    } catch (error) {
      if (!(PragauraError.isInstance(error) && error.code === 'BACKEND_UNAVAILABLE')) throw error;
      if (signal?.aborted)
        throw new PragauraError('ABORTED', 'Stopped while an engine was waited for.', { cause: error });
      if (ms !== undefined && performance.now() - began >= ms) throw error;
      onPause?.(error);
      await sleep(pause * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => {});
    }
  }
}
