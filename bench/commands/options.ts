import type { Argv } from 'yargs';
import { PragauraError } from '../../common/index.ts';
import { SAMPLER_OPTIONS } from '../../generation/commands/generator-options.ts';

export { say } from '../../common/index.ts';

export const DATA_OPTION = {
  type: 'string',
  default: '../shared/data',
  requiresArg: true,
  describe: 'Folder of the public data sets',
} as const;

export const TITLES_OPTION = {
  type: 'boolean',
  default: false,
  describe: "Give the paragraphs of SQuAD sets their article's name as a title",
} as const;

/** Options that every measurement has. */
export function commonOptions<T>(argv: Argv<T>) {
  return argv.option('data', DATA_OPTION).option('out', {
    type: 'string',
    default: '.pragaura/bench/results',
    requiresArg: true,
    describe: 'Folder for results; a run that was broken off goes on from there',
  });
}

/** Where indexes of data sets are kept. */
export function cacheOption<T>(argv: Argv<T>) {
  return argv.option('cache', {
    type: 'string',
    default: '.pragaura/bench/indexes',
    requiresArg: true,
    describe: 'Folder in which indexes of the data sets are kept between runs',
  });
}

/** Options of measurements that need an index of a data set. */
export function indexOptions<T>(argv: Argv<T>) {
  return cacheOption(commonOptions(argv)).option('titles', TITLES_OPTION);
}

/** Which set a measurement over one set uses. */
export function setOption<T>(argv: Argv<T>) {
  return argv.option('set', {
    type: 'string',
    default: 'articles-a',
    requiresArg: true,
    describe: 'Data set: articles-a, new-wiki, hotpot, cranfield, train-44 or hotpot-train',
  });
}

/** Where the figures of the pages are kept. */
export function figuresOption<T>(argv: Argv<T>) {
  return argv.option('figures', {
    type: 'string',
    requiresArg: true,
    normalize: true,
    describe: 'Keep the figures in this file; "bench figures --write" makes the tables of the pages of it',
  });
}

/** A `coerce` for counts. Throws USAGE for anything but a whole number of at least `least`. */
export function countAtLeast(least: number): (value: unknown) => number {
  return (value) => {
    const count = Number(value);
    if (!Number.isSafeInteger(count) || count < least) {
      throw new PragauraError('USAGE', `"${String(value)}" is not a whole number of at least ${least}.`);
    }
    return count;
  };
}

/** An option for a count of at least `least`. */
export const countOption = (fallback: number, least: number, describe: string) => ({
  default: fallback,
  requiresArg: true,
  coerce: countAtLeast(least),
  describe,
});

/** What the routers of a measurement run on. */
export const THREADS_OPTION = {
  requiresArg: true,
  coerce: countAtLeast(1),
  describe: 'Inference threads [default: one a core, at most 4]',
} as const;

/** Indexes that are compared: those that are there, and engines that are started for it. */
export const ENGINE_OPTIONS = {
  backends: {
    type: 'string',
    default: 'embedded',
    requiresArg: true,
    describe: 'What is compared, "embedded" first: embedded,opensearch=URL',
  },
  start: {
    array: true,
    choices: ['opensearch', 'pgvector'] as const,
    default: [],
    describe: 'Start these engines for the run, one node each, and compare them too',
  },
} as const;

/** The options of a language model that does something beside; `what`: it does. */
export function samplerOptions(what: string) {
  const { generator } = SAMPLER_OPTIONS;
  const describe = `${generator.describe.split(';')[0]}; ${what}`;
  return { ...SAMPLER_OPTIONS, generator: { ...generator, describe } };
}
