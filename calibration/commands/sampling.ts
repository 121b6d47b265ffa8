import type { RouterOptions, Sampler } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';

/** What is measured with a sampler shares its models with the router. */
export async function withSampler<T>(
  router: RouterOptions,
  samplerFor: ((scorers: Scorers) => Sampler | undefined) | null,
  run: (router: RouterOptions) => Promise<T>,
): Promise<T> {
  if (samplerFor === null) return run(router);
  const scorers = router.scorers ?? (await openScorers(router));
  try {
    const sampler = samplerFor(scorers);
    return await run({ ...router, scorers, ...(sampler && { sampler }) });
  } finally {
    if (router.scorers === undefined) await scorers.close();
  }
}
