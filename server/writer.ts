/** The language model that words answers, and how many of them at a time. */
import {
  checkFactuality,
  type GenerationBudget,
  type Generator,
  type GeneratorOptions,
  openGenerator,
} from '../generation/index.ts';
import { Gate } from './gate.ts';
import type { ServiceOptions } from './service.ts';

export interface WriterOptions extends GeneratorOptions {
  budget?: Partial<GenerationBudget>;
}

export interface Writer {
  generator: Generator;
  budget: Partial<GenerationBudget>;
  gate: Gate;
}

/** Throws as `openGenerator`, and CALIBRATION_MISMATCH where answers of other models were calibrated. */
export function openWriter(
  { budget = {}, ...options }: WriterOptions,
  {
    concurrency,
    waiting,
    factuality,
    scorers,
  }: Pick<ServiceOptions, 'concurrency' | 'waiting' | 'factuality' | 'scorers'>,
): Writer {
  const generator = openGenerator(options);
  if (factuality !== undefined) checkFactuality(factuality, scorers.info, generator.model);
  return {
    generator,
    budget,
    gate: new Gate({ concurrency, waiting, perMinute: null }),
  };
}
