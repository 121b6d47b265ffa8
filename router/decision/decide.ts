import type { ActDistribution } from '../../profiles/index.ts';
import type { DecisionInput, Found, Outcome, Thresholds } from './types.ts';

/** Gates that need nothing but the query: empty, too long, no question. Null: go on. */
export function screenQuery(query: string, act: ActDistribution, thresholds: Thresholds): Outcome | null {
  throw new Error(`not written yet: ${query} ${act.label} ${thresholds.status}`);
}

/** Gates that need no cross-encoder: nothing found, unknown identifier. Null: go on. `decide` repeats them. */
export function precheck(found: Found, thresholds: Thresholds): Outcome | null {
  throw new Error(`not written yet: ${found.query} ${thresholds.status}`);
}

/** The decision. All gates in order, then U against tau. */
export function decide(input: DecisionInput, thresholds: Thresholds): Outcome {
  throw new Error(`not written yet: ${input.query} ${thresholds.status}`);
}
