/**
 * Runs `work` over `items`, at most `limit` at a time. `stop` and the first failure end the taking of new items; what
 * is in flight is awaited, and then the failure is thrown. `cancel` aborts what is in flight: each item has a signal
 * of its own, because listeners on one that lives as long as the run would pile up.
 */
export async function concurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  { stop, cancel }: { stop?: AbortSignal | undefined; cancel?: AbortSignal | undefined } = {},
): Promise<void> {
  const running = new Set<AbortController>();
  const onCancel = () => {
    for (const own of running) own.abort();
  };
  let next = 0;
  let failed = false;
  const inTurn = async () => {
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
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, inTurn));
  cancel?.removeEventListener('abort', onCancel);
  const broken = ended.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}
