/** Ways of answering other than one pass of the router. */
import { drafted, sampled } from './generated.ts';
import { pruned } from './pruned.ts';
import { secondReading } from './second-reading.ts';
import { twoHops } from './two-hops.ts';
import type { Pipeline } from './types.ts';

export type { Asked, Attempt, Tools } from './types.ts';

/** `generator`: asks a language model. */
export const PIPELINES: Readonly<Record<string, { run: Pipeline; generator: boolean }>> = {
  'context pruning': { run: pruned, generator: false },
  'two hops': { run: twoHops, generator: false },
  'second reading': { run: secondReading, generator: false },
  sampling: { run: sampled, generator: true },
  'speculative drafting': { run: drafted, generator: true },
};
