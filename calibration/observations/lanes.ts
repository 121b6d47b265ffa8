/**
 * Runs `work` over `items`, at most `limit` at a time. `stop` and the first failure end the taking of new items; what
 * is in flight is awaited, and then the failure is thrown. `cancel` aborts what is in flight: each item has a signal
 * of its own, because listeners on one that lives as long as the run would pile up.
 */
export async function inLanes<T>(
  items: readonly T[],
  limit: number,
  { stop, cancel }: { stop: AbortSignal | undefined; cancel: AbortSignal | undefined },
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const running = new Set<AbortController>();
  const onCancel = () => {
    for (const own of running) own.abort();
  };
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed && !stop?.aborted) {
      const own = new AbortController();
      running.add(own);
      try {
        await work(items[next++]!, own.signal);
      } catch (error) {
        failed = true;
        throw error;
      } finally {
        running.delete(own);
      }
    }
  };
  cancel?.addEventListener('abort', onCancel);
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane));
  cancel?.removeEventListener('abort', onCancel);
  const broken = ended.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}
