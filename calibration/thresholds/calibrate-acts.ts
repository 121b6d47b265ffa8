import { ACTS, type Act, PARENT_ACT } from '../../profiles/index.ts';
import { partOf } from '../levels/fractions.ts';
import type { Fraction, Level } from '../levels/level.ts';
import { answeredBy, scoreFor } from './answered.ts';
import { floorWithoutErrors, tailWithin } from './binomial.ts';
import { conformalThreshold } from './conformal.ts';
import { planned, quantiles } from './plan.ts';
import { type Chain, riskThresholds } from './risk.ts';
import { silenceThreshold } from './silence.ts';
import type {
  ActThreshold,
  ActThresholds,
  CalibrationRequest,
  CoverageRequest,
  JointRequest,
  Pool,
  PoolActs,
  RiskRequest,
  Rung,
  Scored,
} from './types.ts';

/** With fewer, one calibration in ten realises a coverage more than about ten points off the promise. */
export const LEAST_EXAMPLES = 50;

/** A pool takes part in the tests when the tune split gives its first test at least this chance to pass. */
const LEAST_POWER = 0.1;

/**
 * Thresholds for every act, each from the first rung of act -> parent -> global that has one (see Rung for what a
 * borrowed threshold promises). Acts are predicted acts, as at run time.
 *
 * Coverage: split conformal in each pool; promises hold one by one. Risk: one delta for all pools together, divided
 * equally among the pools that the tune split gives a chance, see `riskThresholds`. Joint: half of delta for the risk
 * of answering wrongly, half for needless silence, which again is divided equally among the pools with answerable
 * examples enough; with probability 1 - delta all promises of both kinds hold at once.
 *
 * All of it takes examples as drawn independently of each other and like the queries to come. Questions on the same
 * documents are not quite that: what it costs in a bad case is the last line of `npm run validity`.
 *
 * Pure. Throws INTERNAL for a U that is not finite.
 */
export function calibrateActs(items: readonly Scored[], request: CalibrationRequest): ActThresholds {
  const named = request.scope === 'global' ? (['everything'] as const) : POOLS;
  const pools: Pool[] = named.map((acts) => ({ acts }));
  const members = named.map((acts) => items.filter(within(acts)));
  if (request.target === 'coverage') addCoverage(pools, members, request);
  else {
    const halves = request.target === 'joint' ? partOf(request.delta, 2) : request.delta;
    addRisk(pools, members, items.length, halves, request);
    if (request.target === 'joint') addSilence(pools, members, items.length, halves, request);
  }
  const acts = ACTS.map((act) => [act, thresholdOf(act, pools, items, request)] as const);
  return {
    acts: Object.fromEntries(acts) as Record<Act, ActThreshold>,
    global: pools.at(-1)!,
    pools,
  };
}

const FAMILIES = [...new Set(Object.values(PARENT_ACT))].map((parent) =>
  ACTS.filter((act) => act === parent || PARENT_ACT[act] === parent),
);
const POOLS: readonly PoolActs[] = [...ACTS.map((act) => [act]), ...FAMILIES, 'everything'];

function within(acts: PoolActs): (item: Scored) => boolean {
  return ({ act }) => acts === 'everything' || (act !== null && acts.includes(act));
}

function addCoverage(
  pools: Pool[],
  members: Scored[][],
  { level, least = LEAST_EXAMPLES }: CoverageRequest,
): void {
  for (const [place, pool] of pools.entries()) {
    const reached = conformalThreshold(members[place]!.map(scoreFor), level);
    const short = pool.acts === 'everything' ? 0 : least - reached.n;
    pool.coverage =
      short > 0
        ? { ...reached, tau: null, why: 'too-few', needed: Math.max(short, reached.needed ?? 0) }
        : reached;
  }
}

function addRisk(
  pools: Pool[],
  members: Scored[][],
  n: number,
  delta: Fraction,
  { level, tune }: RiskRequest | JointRequest,
): void {
  const scale = tune.length === 0 ? 0 : n / tune.length;
  const tunes = pools.map(({ acts }) => tune.filter(within(acts)));
  const spread = partOf(delta, tunes.filter((own) => own.length > 0).length || 1);
  const fair = tunes.map((own) => planned(own, scale, level, spread).power >= LEAST_POWER);
  const tested = worthTesting(pools, tunes, fair);
  const share = partOf(delta, tested.filter(Boolean).length);
  const chains = pools.map((_, place): Chain => {
    const own = planned(tunes[place]!, scale, level, share).grid;
    const grid = own.length > 0 ? own : quantiles(tune);
    return { answered: answeredBy(members[place]!), grid, delta: share, tested: tested[place]! };
  });
  for (const [place, risk] of riskThresholds(chains, level).entries()) pools[place]!.risk = risk;
}

/**
 * Which pools get a share of delta: acts and everything with a fair chance on the tune split, and families with one
 * that an act with examples but no fair chance will need. When no pool has a chance, everything is tested all the
 * same: the tune split may be wrong.
 */
function worthTesting(
  pools: readonly Pool[],
  tunes: readonly Scored[][],
  fair: readonly boolean[],
): boolean[] {
  const alone = pools
    .filter(({ acts }, place) => acts.length === 1 && fair[place])
    .flatMap(({ acts }) => acts);
  const tested = pools.map(({ acts }, place) => {
    if (acts === 'everything' || acts.length === 1) return fair[place]!;
    const needy = ({ act }: Scored) => PARENT_ACT[act!] !== undefined && !alone.includes(act!);
    return fair[place]! && tunes[place]!.some(needy);
  });
  return tested.some(Boolean) ? tested : pools.map(({ acts }) => acts === 'everything');
}

function addSilence(
  pools: Pool[],
  members: Scored[][],
  n: number,
  delta: Fraction,
  { ask, tune }: JointRequest,
): void {
  const expected = pools.map(({ acts }) => {
    const answerable = tune.filter((item) => item.answerable === true && within(acts)(item)).length;
    return tune.length === 0 ? 0 : (answerable * n) / tune.length;
  });
  const some = expected.filter((count) => count > 0).length || 1;
  const least = floorWithoutErrors(ask, partOf(delta, some));
  const tested = pools.map(({ acts }, place) => acts === 'everything' || expected[place]! >= least);
  const share = partOf(delta, tested.filter(Boolean).length);
  for (const [place, pool] of pools.entries()) {
    const silence = silenceThreshold(members[place]!, ask, share);
    pool.silence =
      tested[place] || silence.why !== 'reached' ? silence : { ...silence, askUpTo: null, why: 'untried' };
  }
}

function thresholdOf(
  act: Act,
  pools: readonly Pool[],
  items: readonly Scored[],
  { target, level, scope }: CalibrationRequest,
): ActThreshold {
  const own = items.filter((item) => item.act === act);
  const rungs = rungsOf(act, pools);
  // More answers than promised do no harm, and who asks for one threshold gets one.
  const lenient = target === 'coverage' || scope === 'global';
  const vetoed: Exclude<Rung, 'none'>[] = [];
  const bar = rungs.find(({ rung, pool }) => {
    const tau = tauOf(pool);
    if (tau === null) return false;
    if (rung === 'act' || lenient || !contradicts(own, tau, level)) return true;
    vetoed.push(rung);
    return false;
  });
  const tau = bar === undefined ? null : tauOf(bar.pool);
  // Without tau the router abstains whatever U is, so that a bar for asking would promise what does not happen.
  const ask = tau === null ? undefined : rungs.find(({ pool }) => pool.silence?.askUpTo != null);
  const askUpTo = ask?.pool.silence?.askUpTo ?? null;
  return {
    rung: bar?.rung ?? 'none',
    tau,
    askUpTo: askUpTo === null ? null : Math.max(askUpTo, tau ?? 0),
    askRung: ask?.rung ?? 'none',
    own: rungs[0]!.pool,
    pool: bar?.pool ?? null,
    askPool: ask?.pool ?? null,
    vetoed,
  };
}

interface Step {
  rung: Exclude<Rung, 'none'>;
  pool: Pool;
}

/** The ladder of one act, bottom first. */
function rungsOf(act: Act, pools: readonly Pool[]): Step[] {
  return pools.flatMap((pool): Step[] => {
    if (pool.acts === 'everything') return [{ rung: 'global', pool }];
    if (!pool.acts.includes(act)) return [];
    if (pool.acts.length === 1) return [{ rung: 'act', pool }];
    return PARENT_ACT[act] === undefined ? [] : [{ rung: 'parent', pool }];
  });
}

function tauOf({ coverage, risk }: Pool): number | null {
  return (coverage ?? risk)?.tau ?? null;
}

/** Chance that an act which keeps the level is refused a borrowed threshold all the same. */
const VETO: Fraction = { numerator: 1n, denominator: 20n };

/** Do the act's own examples show, at VETO, a risk above the level at this threshold? P(Binomial >= wrong) <= VETO. */
function contradicts(own: readonly Scored[], tau: number, { numerator, denominator }: Level): boolean {
  const { answered, wrong } = answeredBy(own).at(tau);
  const right = { numerator: denominator - numerator, denominator };
  return wrong > 0 && tailWithin(answered - wrong, answered, right, VETO);
}
