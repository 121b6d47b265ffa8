import { PragauraError } from '../../common/index.ts';

/** ABORTED, for whoever asked and has gone. */
export function cancelled({ reason }: AbortSignal): PragauraError {
  return new PragauraError('ABORTED', 'Retrieval was cancelled.', { cause: reason });
}

/** Throws ABORTED where whoever asks has gone. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}
