import type { Argv } from 'yargs';
import { PragauraError } from '../../common/index.ts';
import { generatorFrom } from '../../generation/commands/generator-options.ts';
import type { Generator } from '../../generation/index.ts';
import type { RouterOptions, Sampler } from '../../router/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';

/** Where commands of this room keep what was measured, so that each finds what another measured. */
export function observationsCacheOption<T>(parser: Argv<T>) {
  return parser.option('cache', {
    type: 'string',
    default: '.pragaura/observations',
    requiresArg: true,
    normalize: true,
    describe: 'Folder in which measured signals are kept between runs',
  });
}

export interface SamplerArguments {
  generator: string | undefined;
  model: string | undefined;
  generatorSeconds: number;
  generatorCache: string | undefined;
}

/** Calls `run` with the generator of `--generator`, undefined without, and closes it. Throws USAGE, and as `generatorFrom`. */
export async function withGenerator<T>(
  { generator: where, ...args }: SamplerArguments,
  say: (line: string) => void,
  run: (generator: Generator | undefined) => Promise<T>,
): Promise<T> {
  if (where === undefined) {
    if (args.model === undefined) return run(undefined);
    throw new PragauraError('USAGE', 'A language model needs --generator beside --model.');
  }
  const generator = await generatorFrom({ ...args, generator: where }, say);
  return run(generator).finally(() => generator.close());
}

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
