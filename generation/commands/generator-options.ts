import { wholeNumber } from '../../cli/index.ts';
import type { FactualityThresholds } from '../factuality.ts';

/** The endpoint that words answers, and what it may cost. */
export const GENERATOR_OPTIONS = {
  generator: {
    type: 'string' as const,
    requiresArg: true,
    describe: 'Base of an OpenAI-compatible endpoint; its key is PRAGAURA_GENERATOR_KEY in the environment',
  },
  model: {
    type: 'string' as const,
    requiresArg: true,
    describe: 'Name of the model at the endpoint',
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
};

/** Reads a factuality calibration. They are another room's; the front door hands this over. */
export type LoadFactuality = (file: string) => Promise<FactualityThresholds>;

export const FACTUALITY_OPTION = {
  type: 'string' as const,
  requiresArg: true,
  normalize: true,
  describe:
    'Made by "pragaura calibrate --target factuality": which sentences are kept, with a promise; without it nothing is promised',
};
