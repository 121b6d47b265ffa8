import { z } from 'zod';
import { PragauraError, sigmoid } from '../../common/index.ts';
import { type SourceReading, sourcesOf } from '../../scorers/index.ts';
import type { Plan } from '../contracts.ts';
import { FEATURES, type Features } from './features.ts';
import type { DecisionInput } from './input.ts';
import { Temperatures, tempered } from './temperatures.ts';
import { uncertainty } from './uncertainty.ts';

const share = z.number().min(0).max(1);

/** U = alpha*D + beta*C + gamma*(1-E). `temperatures`, where given, are those that C and E are made anew with. */
const Formula = z.strictObject({
  kind: z.literal('formula'),
  weights: z.strictObject({ alpha: share, beta: share, gamma: share }),
  temperatures: Temperatures.optional(),
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

/** U = 1 - P(ANSWER) of the planner with this hash, and of no other. */
const Planned = z.strictObject({ kind: z.literal('planner'), planner: z.string().min(1) });

/** How uncertain an answer is, as data: in an artifact, in a report. */
export const UncertaintyScore = z.discriminatedUnion('kind', [Formula, Learned, Planned]);
export type UncertaintyScore = z.infer<typeof UncertaintyScore>;

/** What a score may look at beside the features; what it looks at and is not there makes U null. */
export interface Measured {
  /** What C and E are made of. Tempered formulas only. */
  sources?: readonly SourceReading[] | null | undefined;
  /** What the planner that the score names makes of the query. Planner scores only. */
  planned?: Plan['probabilities'] | null | undefined;
}

/** What a decision has for a score. */
export function measuredOf({ answers, report, planned }: DecisionInput): Measured {
  return { sources: sourcesOf(answers, report.verdicts), planned };
}

/**
 * U in [0, 1] of a query with these features; null when there is no candidate, or nothing of what the score looks at
 * was scored. Throws INTERNAL for a feature that is no number, CONFIGURATION for weights that are no division of one.
 */
export function scoreOf(
  score: UncertaintyScore,
  features: Features,
  { sources = null, planned = null }: Measured = {},
): number | null {
  if (score.kind === 'formula') {
    const { weights, temperatures } = score;
    if (temperatures === undefined) return uncertainty(features, weights);
    return sources === null ? null : uncertainty(tempered(features, sources, temperatures), weights);
  }
  if (features.answerScore === null) return null;
  if (score.kind === 'planner') return planned === null ? null : inUnit(1 - planned.ANSWER);
  const right = sigmoid(linearPredictor(score, features));
  return 1 - (score.isotonic === null ? right : interpolated(score.isotonic, right));
}

/** Log odds by a logistic regression over standardised features. */
interface Regression {
  intercept: number;
  /** `missing`: what an unknown value counts, in units of z. */
  inputs: readonly { feature: string; mean: number; scale: number; weight: number; missing: number }[];
}

/**
 * z = intercept + sum of `weight * (value - mean) / scale`, with `missing` for what is null. Throws INTERNAL for a feature
 * that is neither a number nor null.
 */
export function linearPredictor(
  { intercept, inputs }: Regression,
  features: Readonly<Record<string, number | null>>,
): number {
  return inputs.reduce((z, { feature, mean, scale, weight, missing }) => {
    const value = features[feature];
    if (value === undefined || (value !== null && !Number.isFinite(value))) {
      throw new PragauraError('INTERNAL', `Feature ${feature} is ${value}, which is no number.`);
    }
    return z + (value === null ? missing : (weight * (value - mean)) / scale);
  }, intercept);
}

/**
 * What the band for asking is held against, in [0, 1]: what is not answered is asked back up to its end, and silence
 * above. U itself; of a planner (1 + P(ABSTAIN) - P(ASK)) / 2, which is .5 where both are even. Null as U is.
 */
export function silenceOf(
  score: UncertaintyScore,
  features: Features,
  measured: Measured = {},
): number | null {
  if (score.kind !== 'planner') return scoreOf(score, features, measured);
  const { planned = null } = measured;
  return planned === null ? null : inUnit((1 + planned.ABSTAIN - planned.ASK) / 2);
}

/**
 * Whether what is not answered is asked back: up to the end of the `band`; without one, by a planner, where asking is
 * at least as likely right as silence. Null: the score does not say, and the reason alone does.
 */
export function asksBack(
  score: UncertaintyScore,
  features: Features,
  measured: Measured,
  band: number | null,
): boolean | null {
  const held = silenceOf(score, features, measured);
  if (held === null) return null;
  if (band !== null) return held <= band;
  return score.kind === 'planner' ? held <= 0.5 : null;
}

/** Sums of probabilities miss one by rounding. */
function inUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function interpolated(knots: readonly { x: number; y: number }[], at: number): number {
  const after = knots.findIndex(({ x }) => x >= at);
  if (after === 0) return knots[0]!.y;
  if (after === -1) return knots.at(-1)!.y;
  const [a, b] = [knots[after - 1]!, knots[after]!];
  return b.x === a.x ? b.y : a.y + ((b.y - a.y) * (at - a.x)) / (b.x - a.x);
}
