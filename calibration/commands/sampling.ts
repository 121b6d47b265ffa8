/** A language model beside what calibrate and evaluate measure. */
import { PragauraError } from '../../common/index.ts';
import { type Generator, samplerFor } from '../../generation/index.ts';
import type { CalibratedThresholds, RouterOptions, Sampler } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';

/** What is measured with a sampler shares its models with the router. */
export async function withSampler<T>(
  router: RouterOptions,
  samplerOver: ((scorers: Scorers) => Sampler | undefined) | null,
  run: (router: RouterOptions) => Promise<T>,
): Promise<T> {
  if (samplerOver === null) return run(router);
  const scorers = router.scorers ?? (await openScorers(router));
  try {
    const sampler = samplerOver(scorers);
    return await run({ ...router, scorers, ...(sampler && { sampler }) });
  } finally {
    if (router.scorers === undefined) await scorers.close();
  }
}

/** What draws the answers that the calibration looks at; null where it looks at none. Throws USAGE for a model that is not needed. */
export function samplerNeeded(
  thresholds: Pick<CalibratedThresholds, 'validFor'> | null,
  generator: Generator | undefined,
): ((scorers: Scorers) => Sampler | undefined) | null {
  if (thresholds !== null && thresholds.validFor.sampler !== null) {
    return (scorers) => samplerFor(thresholds, generator, scorers);
  }
  if (generator === undefined) return null;
  throw new PragauraError('USAGE', '--generator is for a calibration that looks at what it answers.', {
    hint: 'Leave it out.',
  });
}
