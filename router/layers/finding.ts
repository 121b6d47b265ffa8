import { z } from 'zod';
import { REASONS } from '../reasons.ts';

/** Layers whose word no model could change: asked before the models, so that a query they decide costs nothing more. */
export const EARLY_LAYERS = [
  'vocabulary',
  'spelling',
  'noResults',
  'identifierExists',
  'identifierInEvidence',
  'poisoned',
] as const;

/** In the order in which they are asked; the first that closes decides. */
export const LAYERS = [
  ...EARLY_LAYERS,
  'underspecified',
  'coverage',
  'scope',
  'distance',
  'falsePremise',
  'contradiction',
  'support',
  'bands',
] as const;
export type LayerName = (typeof LAYERS)[number];

/**
 * What a layer found. `EVIDENCE`: the vocabulary defines the term, which is the best evidence there is. `CAVEAT`: the
 * answer may stand with this said beside it. `ASK` and `ABSTAIN` close, with a reason. `measured` and `limit`: the
 * number that was looked at and where it closes, null where the layer looks at no number.
 */
export const LayerFinding = z.strictObject({
  layer: z.enum(LAYERS),
  effect: z.enum(['EVIDENCE', 'CAVEAT', 'ASK', 'ABSTAIN']),
  reason: z.enum(REASONS).nullable(),
  message: z.string(),
  suggestions: z.array(z.string()).max(3),
  measured: z.number().nullable(),
  limit: z.number().nullable(),
});
export type LayerFinding = z.infer<typeof LayerFinding>;

/** Every layer with what became of it; `not_reached`: an earlier one had decided; `noted`: a caveat. */
export const LayerRecord = z.array(
  z.strictObject({
    layer: z.enum(LAYERS),
    state: z.enum(['off', 'not_reached', 'open', 'noted', 'decided']),
    finding: LayerFinding.nullable(),
  }),
);
export type LayerRecord = z.infer<typeof LayerRecord>;
