/** From the acts that a query may be to the profile that it runs under. Pure. */
import type { ProfileSet } from './load.ts';
import {
  type ActDistribution,
  type Allocation,
  type AllocationProfile,
  type Budget,
  type CountedUnit,
  documentsOf,
} from './types.ts';
import { ACTS, BRANCHES, type BranchName, GENRES } from './vocabulary.ts';

type Part = Allocation['blendedFrom'][number];

/** Remainders that differ by less than this are equal: the rest is rounding noise of sums of products. */
const NOISE = 1e-9;

/**
 * `total` in whole numbers, as close to the proportions of `shares` (all >= 0) as whole numbers get: every number is
 * its exact quota rounded down or up, and they add up to exactly `total`. Method of the largest remainder (Hamilton);
 * equal remainders go to the earlier place. Without any share nothing is given out.
 */
export function largestRemainder(shares: readonly number[], total: number): number[] {
  const sum = shares.reduce((a, b) => a + b, 0);
  if (sum <= 0) return shares.map(() => 0);
  const quotas = shares.map((share) => (share / sum) * total);
  const whole = quotas.map(Math.floor);
  const left = total - whole.reduce((a, b) => a + b, 0);
  const byRemainder = quotas
    .map((quota, place) => ({ place, remainder: Math.round((quota - Math.floor(quota)) / NOISE) }))
    .sort((a, b) => b.remainder - a.remainder || a.place - b.place);
  for (const { place } of byRemainder.slice(0, left)) whole[place]! += 1;
  return whole;
}

/** The acts to blend with weights that sum to one; the act of the label alone when nothing can be blended. */
function partsOf(distribution: ActDistribution): Part[] {
  const alone: Part[] = [{ act: distribution.label, weight: 1 }];
  if (distribution.confident) return alone;
  const likely = ACTS.filter((act) => act !== 'NOT_A_QUESTION' && distribution.probabilities[act] > 0);
  const mass = likely.reduce((sum, act) => sum + distribution.probabilities[act], 0);
  if (mass <= 0) return alone;
  return likely.map((act) => ({ act, weight: distribution.probabilities[act] / mass }));
}

function weighted(
  set: ProfileSet,
  parts: readonly Part[],
  of: (profile: AllocationProfile) => number,
): number {
  return parts.reduce((sum, { act, weight }) => sum + weight * of(set.profiles[act]), 0);
}

function blend(set: ProfileSet, parts: readonly Part[]): AllocationProfile {
  const mean = (of: (profile: AllocationProfile) => number) => weighted(set, parts, of);
  const heaviest = parts.reduce((best, part) => (part.weight > best.weight ? part : best));
  const shares = BRANCHES.map((branch) => mean((profile) => profile.branches[branch]));
  const place = (branch: BranchName) => shares[BRANCHES.indexOf(branch)]!;
  const clamp = (x: number) => Math.min(1, Math.max(0, x));
  return {
    schema: 'pragaura.profile/1',
    act: heaviest.act,
    why: `Blended by probability, mostly from ${heaviest.act}.`,
    branches: recordOf(BRANCHES, largestRemainder(shares, Math.round(mean(documentsOf)))),
    rerankDepth: Math.round(mean((profile) => profile.rerankDepth)),
    nliPairs: Math.round(mean((profile) => profile.nliPairs)),
    contextTokens: Math.round(mean((profile) => profile.contextTokens)),
    genres: {
      preference: recordOf(
        GENRES,
        GENRES.map((genre) => clamp(mean((profile) => profile.genres.preference[genre]))),
      ),
      weight: clamp(mean((profile) => profile.genres.weight)),
      floor: clamp(mean((profile) => profile.genres.floor)),
    },
    degrade: BRANCHES.filter((branch) => place(branch) > 0).sort((a, b) => place(b) - place(a)),
  };
}

function recordOf<K extends string>(keys: readonly K[], values: readonly number[]): Record<K, number> {
  return Object.fromEntries(keys.map((key, at) => [key, values[at]])) as Record<K, number>;
}

/** The same share of another budget. */
function scaled(profile: AllocationProfile, from: Budget, to: Budget): AllocationProfile {
  const part = (amount: number, unit: CountedUnit) =>
    from[unit] === 0 ? 0 : Math.round((amount / from[unit]) * to[unit]);
  const shares = BRANCHES.map((branch) => profile.branches[branch]);
  return {
    ...profile,
    branches: recordOf(BRANCHES, largestRemainder(shares, part(documentsOf(profile), 'docsScored'))),
    rerankDepth: part(profile.rerankDepth, 'rerankPairs'),
    nliPairs: part(profile.nliPairs, 'nliPairs'),
    contextTokens: part(profile.contextTokens, 'contextTokens'),
  };
}

/**
 * The profile that a query runs under. Policy `act`: that of the label when the distribution is confident; otherwise
 * all acts but `NOT_A_QUESTION`, renormalised, blended by probability: k's, depths, genre preferences and the floor
 * are weighted means, `degrade` goes by k, largest first. Policy `uniform`: the baseline, whatever the act is.
 *
 * In every counted unit the query gets the share of `budget` (default: the set's own) that its profile has of the set's,
 * rounded, and so never more than `budget`; `NOT_A_QUESTION` gets nothing. `budget.ms` plays no part. `blendedFrom` says
 * which profiles went in with which weight: over many queries, what is granted is the mean of the profiles by the mean
 * of these weights, to within rounding.
 */
export function allocate(
  set: ProfileSet,
  distribution: ActDistribution,
  policy: 'act' | 'uniform',
  budget: Budget = set.budget,
): Allocation {
  const blendedFrom: Part[] = policy === 'uniform' ? [{ act: 'UNIFORM', weight: 1 }] : partsOf(distribution);
  const [first, ...others] = blendedFrom;
  const profile = others.length === 0 ? set.profiles[first!.act] : blend(set, blendedFrom);
  return { ...scaled(profile, set.budget, budget), blendedFrom };
}
