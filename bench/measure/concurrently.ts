/**
 * Runs `work` over `items`, at most `limit` at a time. The first failure stops the taking of new items and is
 * thrown once those in flight have ended.
 */
export async function concurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      try {
        await work(items[next++]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane));
  const broken = ended.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}
