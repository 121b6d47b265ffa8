/** The language model that words answers, and how many of them at a time. */
import {
  type GenerationBudget,
  type Generator,
  type GeneratorOptions,
  openGenerator,
} from '../generation/index.ts';
import { Gate } from './gate.ts';

export interface WriterOptions extends GeneratorOptions {
  budget?: Partial<GenerationBudget>;
}

export interface Writer {
  generator: Generator;
  budget: Partial<GenerationBudget>;
  gate: Gate;
}

/** Throws as `openGenerator`. */
export function openWriter(
  { budget = {}, ...options }: WriterOptions,
  { concurrency, waiting }: { concurrency: number; waiting: number },
): Writer {
  return {
    generator: openGenerator(options),
    budget,
    gate: new Gate({ concurrency, waiting, perMinute: null }),
  };
}
