import { wholeNumber } from '../../cli/index.ts';
import { PragauraError } from '../../common/index.ts';
import type { FactualityThresholds } from '../factuality.ts';
import type { Generator } from '../generator.ts';

/** The endpoint that words answers, and what it may cost. */
export const GENERATOR_OPTIONS = {
  generator: {
    type: 'string' as const,
    requiresArg: true,
    describe:
      'Base of an OpenAI-compatible endpoint, its key is PRAGAURA_GENERATOR_KEY in the environment; or a GGUF file, run here by node-llama-cpp',
  },
  model: {
    type: 'string' as const,
    requiresArg: true,
    describe: 'Name of the model at the endpoint; a file has its own',
  },
  'prompt-tokens': {
    type: 'number' as const,
    default: 3_000,
    requiresArg: true,
    coerce: wholeNumber('prompt-tokens', 1, 1_000_000),
    describe: 'Word pieces of a prompt at most; quotes beyond them are left out',
  },
  'generated-tokens': {
    type: 'number' as const,
    default: 400,
    requiresArg: true,
    coerce: wholeNumber('generated-tokens', 1, 100_000),
    describe: 'Word pieces that are taken of an answer at most',
  },
  'generator-seconds': {
    type: 'number' as const,
    default: 120,
    requiresArg: true,
    coerce: wholeNumber('generator-seconds', 1, 86_400),
    describe: 'Seconds that one answer may take',
  },
  'low-band': {
    type: 'boolean' as const,
    default: false,
    describe: 'Let it word answers of the band LOW too, of which only the passage is sure',
  },
  'generator-cache': {
    type: 'string' as const,
    requiresArg: true,
    normalize: true,
    describe:
      'Folder in which answers are kept by model and prompt, so that the same is asked once [default: none]',
  },
  prices: {
    type: 'string' as const,
    requiresArg: true,
    normalize: true,
    describe: 'JSON file of what tokens of each model cost; records then say what an answer did',
  },
};

const { generator, model, 'generator-seconds': seconds, 'generator-cache': kept } = GENERATOR_OPTIONS;

/** A language model that is asked for short answers, to hold a candidate against. */
export const SAMPLER_OPTIONS = {
  generator: { ...generator, describe: `${generator.describe}; its answers are held against the candidate` },
  model,
  'generator-seconds': seconds,
  'generator-cache': kept,
};

export const SAMPLES_OPTION = {
  type: 'number' as const,
  requiresArg: true,
  coerce: wholeNumber('samples', 2, 100),
  describe: 'Short answers that --generator draws for each query [default: 5]',
};

export interface GeneratorArguments {
  generator: string | undefined;
  model: string | undefined;
  promptTokens: number;
  generatedTokens: number;
  generatorSeconds: number;
  lowBand: boolean;
  generatorCache: string | undefined;
  prices: string | undefined;
}

/** Opens what `--generator` names. Throws USAGE, and as `openGenerator` and `openLocalGenerator`. */
export async function generatorFrom(
  {
    generator: where,
    model,
    ...args
  }: Pick<GeneratorArguments, 'model' | 'generatorSeconds' | 'generatorCache'> & { generator: string },
  announce: (message: string) => void,
): Promise<Generator> {
  const limits = { totalMs: args.generatorSeconds * 1_000 };
  const opened = /^[a-z]+:\/\//i.test(where)
    ? (await import('../generator.ts')).openGenerator({
        url: where,
        model: named(model),
        apiKey: process.env.PRAGAURA_GENERATOR_KEY || undefined,
        limits,
        announce,
      })
    : await (await import('../local-generator.ts')).openLocalGenerator({
        file: unnamed(where, model),
        limits,
      });
  const { generatorCache } = args;
  if (generatorCache === undefined) return opened;
  return (await import('../cached-generator.ts')).cachedGenerator(opened, generatorCache);
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

function named(model: string | undefined): string {
  if (model !== undefined) return model;
  throw new PragauraError('USAGE', 'Which model of the endpoint? Say --model NAME.');
}

function unnamed(file: string, model: string | undefined): string {
  if (model === undefined) return file;
  throw new PragauraError('USAGE', `--model is for an endpoint, and ${file} is taken for a file.`, {
    hint: 'An endpoint begins with http:// or https://.',
  });
}

/** Reads a factuality calibration. They are another room's; the front door hands this over. */
export type LoadFactuality = (file: string) => Promise<FactualityThresholds>;

export const FACTUALITY_OPTION = {
  type: 'string' as const,
  requiresArg: true,
  normalize: true,
  describe:
    'Made by "pragaura calibrate --target factuality": which sentences are kept, with a promise; without it nothing is promised',
};
