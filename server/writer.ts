/** The language model that words answers, and how many of them at a time. */
import { checkFactuality, type GenerationBudget, type Generator, type Prices } from '../generation/index.ts';
import { Gate } from './gate.ts';
import type { ServiceOptions } from './service.ts';

export interface WriterOptions {
  /** Stays open: whoever opened it closes it. */
  generator: Generator;
  budget?: Partial<GenerationBudget>;
  prices?: Prices | undefined;
  /** As `GenerateOptions` has it. */
  lowBand?: boolean | undefined;
}

export interface Writer extends WriterOptions {
  budget: Partial<GenerationBudget>;
  gate: Gate;
}

/** Throws CALIBRATION_MISMATCH where answers of other models were calibrated. */
export function openWriter(
  { generator, budget = {}, prices, lowBand }: WriterOptions,
  {
    concurrency,
    waiting,
    factuality,
    scorers,
  }: Pick<ServiceOptions, 'concurrency' | 'waiting' | 'factuality' | 'scorers'>,
): Writer {
  if (factuality !== undefined) checkFactuality(factuality, scorers.info, generator.model);
  return {
    generator,
    budget,
    prices,
    lowBand,
    gate: new Gate({ concurrency, waiting, perMinute: null }),
  };
}
