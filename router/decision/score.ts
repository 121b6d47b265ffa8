import { z } from 'zod';
import { PragauraError } from '../../errors.ts';
import { FEATURES, type Features } from './features.ts';
import { uncertainty } from './uncertainty.ts';

const share = z.number().min(0).max(1);

/** U = alpha*D + beta*C + gamma*(1-E). */
const Formula = z.strictObject({
  kind: z.literal('formula'),
  weights: z.strictObject({ alpha: share, beta: share, gamma: share }),
});

/**
 * U = 1 - P(right), P by a logistic regression over standardised features: z = intercept + sum of
 * `weight * (value - mean) / scale`; a missing value counts with `missing` (in units of z) instead. `isotonic`, where
 * given, maps sigma(z) by linear interpolation between knots (x ascending, y not descending, both in [0, 1]).
 */
const Learned = z.strictObject({
  kind: z.literal('learned'),
  intercept: z.number(),
  inputs: z
    .array(
      z.strictObject({
        feature: z.enum(FEATURES),
        mean: z.number(),
        scale: z.number().positive(),
        weight: z.number(),
        missing: z.number(),
      }),
    )
    .min(1),
  isotonic: z
    .array(z.strictObject({ x: share, y: share }))
    .min(2)
    .nullable(),
});

/** How uncertain an answer is, as data: in an artifact, in a report. */
export const UncertaintyScore = z.discriminatedUnion('kind', [Formula, Learned]);
export type UncertaintyScore = z.infer<typeof UncertaintyScore>;

/**
 * U in [0, 1] of a query with these features; null when there is no candidate, or nothing of what the score looks at
 * was scored. Throws INTERNAL for a feature that is no number, CONFIGURATION for weights that are no division of one.
 */
export function scoreOf(score: UncertaintyScore, features: Features): number | null {
  if (score.kind === 'formula') return uncertainty(features, score.weights);
  if (features.answerScore === null) return null;
  let z = score.intercept;
  for (const { feature, mean, scale, weight, missing } of score.inputs) {
    const value = features[feature];
    if (value !== null && !Number.isFinite(value)) {
      throw new PragauraError('INTERNAL', `Feature ${feature} is ${value}, which is no number.`);
    }
    z += value === null ? missing : (weight * (value - mean)) / scale;
  }
  const right = 1 / (1 + Math.exp(-z));
  return 1 - (score.isotonic === null ? right : interpolated(score.isotonic, right));
}

function interpolated(knots: readonly { x: number; y: number }[], at: number): number {
  const after = knots.findIndex(({ x }) => x >= at);
  if (after === 0) return knots[0]!.y;
  if (after === -1) return knots.at(-1)!.y;
  const [a, b] = [knots[after - 1]!, knots[after]!];
  return b.x === a.x ? b.y : a.y + ((b.y - a.y) * (at - a.x)) / (b.x - a.x);
}
