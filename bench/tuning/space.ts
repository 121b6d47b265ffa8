/** Which profiles a search may try: drawn at random, so that a query of the mix is expected to cost what it costs uniformly. Pure. */
import { type Random, randomIn, randomInteger } from '../../common/index.ts';
import {
  ACTS,
  type Act,
  type AllocationProfile,
  BRANCHES,
  type Budget,
  documentsOf,
  largestRemainder,
  type ProfileSet,
  profileSetOf,
} from '../../profiles/index.ts';

/** Acts that retrieve. */
export const TUNED = ACTS.filter((act) => act !== 'NOT_A_QUESTION');

/** Units that may move between acts. Entailment reads what ranking has settled, so that its worth is none of the search's. */
export const MOVING = ['docsScored', 'rerankPairs'] as const;
type MovingUnit = (typeof MOVING)[number];

/** Of all that is spent of a unit, the share that goes to queries of each act. */
export type SpentShares = Record<MovingUnit, Partial<Record<Act, number>>>;

/** An act gets at most so many times what it gets uniformly, and at least that part of it. */
const MOST = 2;
/** Draws lie between exp(-SPREAD) and exp(SPREAD) times the uniform amount. */
const SPREAD = 0.5;
/** An act with a smaller share of what is spent is left as it is: a search could only learn chance about it. */
const LEAST_SHARE = 0.05;
/** Of a profile's passages, what goes to the specialised branches together. */
const SPECIAL = [0, 0.1, 0.25, 0.4] as const;
const GENRE_WEIGHTS = [0, 0.02, 0.05] as const;

/**
 * The same profiles under caps that leave an act room for twice what it reads, and the form of its answer what it had.
 */
export function widened({ budget, profiles }: ProfileSet): ProfileSet {
  const { UNIFORM } = profiles;
  const caps: Budget = {
    docsScored: budget.docsScored + (MOST - 1) * documentsOf(UNIFORM),
    rerankPairs: budget.rerankPairs + (MOST - 1) * UNIFORM.rerankDepth,
    nliPairs: budget.nliPairs,
    contextTokens: budget.contextTokens + (MOST - 1) * UNIFORM.contextTokens,
    ms: budget.ms,
  };
  return profileSetOf(caps, profiles);
}

/**
 * Factors for the acts, drawn so that what all queries spend together stays as it is, while what an act spends goes by its
 * factor: the sum of share times factor is the sum of shares. Each lies in [1 / MOST, MOST]; acts that are left alone have 1.
 */
export function drawnFactors(
  shares: Partial<Record<Act, number>>,
  random: Random,
): Partial<Record<Act, number>> {
  const acts = TUNED.filter((act) => (shares[act] ?? 0) >= LEAST_SHARE);
  const whole = acts.reduce((sum, act) => sum + shares[act]!, 0);
  let factors = acts.map(() => Math.exp(randomIn(random, -SPREAD, SPREAD)));
  // Clamping moves the sum, so that the rest is scaled again; a few rounds settle it.
  for (let round = 0; round < 20; round++) {
    const sum = factors.reduce((total, factor, i) => total + shares[acts[i]!]! * factor, 0);
    factors = factors.map((factor) => Math.min(MOST, Math.max(1 / MOST, (factor * whole) / sum)));
  }
  return Object.fromEntries(acts.map((act, i) => [act, factors[i]!]));
}

/** A set in which acts that are common enough take other amounts and divide them otherwise; the rest is `base`'s. */
export function drawnActs(base: ProfileSet, shares: SpentShares, random: Random): ProfileSet {
  const [documents, pairs] = MOVING.map((unit) => drawnFactors(shares[unit], random));
  const profiles = { ...base.profiles };
  for (const act of TUNED) {
    const own = base.profiles[act];
    const amounts = { documents: documents![act] ?? 1, pairs: pairs![act] ?? 1 };
    const draws = {
      lexical: randomIn(random, 0.3, 0.7),
      special: of(SPECIAL, random),
      genre: of(GENRE_WEIGHTS, random),
    };
    if (documents![act] === undefined && pairs![act] === undefined) continue;
    const { lexical: _, dense: __, ...special } = own.branches;
    const weights = Object.values(special);
    const genres = { ...own.genres, weight: draws.genre };
    profiles[act] = { ...divided(own, base, amounts, draws.lexical, draws.special, weights), genres };
  }
  return profileSetOf(base.budget, profiles);
}

/** A set whose baseline divides its passages otherwise; it looks at no act, so that its amounts are what they are. */
export function drawnUniform(base: ProfileSet, random: Random): ProfileSet {
  const { UNIFORM } = base.profiles;
  const [lexical, special] = [randomIn(random, 0.3, 0.7), of(SPECIAL, random)];
  const weights = BRANCHES.slice(2).map(() => -Math.log(1 - random()));
  const even = { documents: 1, pairs: 1 };
  const profiles = { ...base.profiles, UNIFORM: divided(UNIFORM, base, even, lexical, special, weights) };
  return profileSetOf(base.budget, profiles);
}

/** The set with another amount for the baseline: passages that it hands over, and pairs that it may read. */
export function uniformAt(base: ProfileSet, documents: number, depth: number): ProfileSet {
  const { UNIFORM } = base.profiles;
  const shares = BRANCHES.map((branch) => UNIFORM.branches[branch]);
  const amounts = { rerankDepth: depth, contextTokens: tokensFor(UNIFORM, base.budget, depth) };
  const profile = { ...UNIFORM, ...amounts, branches: branchesOf(largestRemainder(shares, documents)) };
  return profileSetOf(base.budget, { ...base.profiles, UNIFORM: profile });
}

function divided(
  profile: AllocationProfile,
  { budget, profiles: { UNIFORM } }: ProfileSet,
  { documents, pairs }: { documents: number; pairs: number },
  lexical: number,
  special: number,
  weights: readonly number[],
): AllocationProfile {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const apart = sum === 0 ? 0 : special;
  const general = [lexical, 1 - lexical].map((share) => share * (1 - apart));
  const shares = [...general, ...weights.map((weight) => (sum === 0 ? 0 : (apart * weight) / sum))];
  const rerankDepth = Math.round(pairs * UNIFORM.rerankDepth);
  return {
    ...profile,
    branches: branchesOf(largestRemainder(shares, Math.round(documents * documentsOf(UNIFORM)))),
    rerankDepth,
    contextTokens: tokensFor(UNIFORM, budget, rerankDepth),
  };
}

/** Word pieces that go with so many pairs, as they do uniformly. */
function tokensFor({ contextTokens, rerankDepth }: AllocationProfile, budget: Budget, depth: number): number {
  return Math.min(budget.contextTokens, Math.round((depth * contextTokens) / rerankDepth));
}

function branchesOf(ks: readonly number[]): AllocationProfile['branches'] {
  return Object.fromEntries(BRANCHES.map((branch, i) => [branch, ks[i]!])) as AllocationProfile['branches'];
}

function of<T>(choices: readonly T[], random: Random): T {
  return choices[randomInteger(random, choices.length)]!;
}
