import { z } from 'zod';
import { ACTS, BRANCHES, GENRES } from './vocabulary.ts';

const probability = z.number().min(0).max(1);
/** A day; timers overflow beyond 24.8 of them. */
export const MAX_DEADLINE_MS = 86_400_000;

const count = z.number().int().min(0).max(100_000);

/** `probabilities` sums to one. `confident` is false when the classifier would rather have profiles blended. */
export const ActDistribution = z.strictObject({
  label: z.enum(ACTS),
  probabilities: z.record(z.enum(ACTS), probability),
  confident: z.boolean(),
});
export type ActDistribution = z.infer<typeof ActDistribution>;

/**
 * What one query may spend at most, whatever its act.
 * `docsScored`: passages that branches hand to fusion. `rerankPairs`: (query, passage) pairs through the
 * cross-encoder. `nliPairs`: (premise, hypothesis) pairs. `contextTokens`: word pieces of the evidence that the
 * reader may look at. `ms`: wall-clock limit, null for none.
 */
export const Budget = z.strictObject({
  docsScored: count,
  rerankPairs: count,
  nliPairs: count,
  contextTokens: count,
  ms: z.number().int().positive().max(MAX_DEADLINE_MS).nullable(),
});
export type Budget = z.infer<typeof Budget>;

/** Units that are counted, as against `ms`, which is measured. */
export const COUNTED_UNITS = ['docsScored', 'rerankPairs', 'nliPairs', 'contextTokens'] as const;
export type CountedUnit = (typeof COUNTED_UNITS)[number];

/**
 * What one act takes of the budget, and how it divides that.
 * `branches`: passages granted to each branch (its k), `Budget.docsScored` together at most; one at least for an act that
 * retrieves.
 * `rerankDepth` <= `Budget.rerankPairs`, `nliPairs` <= `Budget.nliPairs`, `contextTokens` <= `Budget.contextTokens`.
 * `genres.preference`: weight in [0, 1] of each genre, added to the fused score times `genres.weight`;
 * `genres.floor`: share of the candidates in [0, 1] that is filled without looking at genre.
 * `degrade`: branches, in this order, that take what another branch left unspent; none twice.
 */
export const AllocationProfile = z.strictObject({
  schema: z.literal('pragaura.profile/1'),
  act: z.enum([...ACTS, 'UNIFORM']),
  why: z.string(),
  branches: z.record(z.enum(BRANCHES), count),
  rerankDepth: count,
  nliPairs: count,
  contextTokens: count,
  genres: z.strictObject({
    preference: z.record(z.enum(GENRES), probability),
    weight: z.number().min(0).max(1),
    floor: probability,
  }),
  degrade: z
    .array(z.enum(BRANCHES))
    .min(1)
    .refine((names) => new Set(names).size === names.length, 'names a branch twice'),
});
export type AllocationProfile = z.infer<typeof AllocationProfile>;

/** Passages that a profile grants to all branches together. */
export function documentsOf({ branches }: Pick<AllocationProfile, 'branches'>): number {
  return BRANCHES.reduce((sum, branch) => sum + branches[branch], 0);
}

/** The profile that one query runs under, and the profiles that it was made of; the weights sum to one. */
export const Allocation = AllocationProfile.extend({
  blendedFrom: z.array(z.strictObject({ act: z.enum([...ACTS, 'UNIFORM']), weight: probability })).min(1),
});
export type Allocation = z.infer<typeof Allocation>;
