import { ACTS, type Act, PARENT_ACT } from '../../profiles/index.ts';
import { type Fraction, partOf } from '../levels/level.ts';
import { scoreFor } from './answered.ts';
import { floorWithoutErrors } from './binomial.ts';
import { conformalThreshold } from './conformal.ts';
import { conformalByDocument } from './conformal-documents.ts';
import { documentsOf } from './documents.ts';
import { planned, quantiles } from './plan.ts';
import { plannedDocuments } from './plan-documents.ts';
import { type Chain, riskThresholds } from './risk.ts';
import { silenceByDocument, silenceThreshold } from './silence.ts';
import { contradicts, evidenceOfDocuments, evidenceOfQuestions } from './trials.ts';
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

/**
 * Of documents fewer will do: even if all questions of one were alike, nine calibrations in ten would realise between
 * .66 and .93 of a coverage of .8, and questions of one document are not that much alike.
 */
export const LEAST_DOCUMENTS = 20;

/** A pool takes part in the tests when the tune split gives its first test at least this chance to pass. */
const LEAST_POWER = 0.1;

/**
 * Thresholds for every act, each from the first rung of act -> parent -> global that has one (see Rung for what a
 * borrowed threshold promises). Acts are predicted acts, or those in whose form the answer is asked for, as at run time.
 *
 * Coverage: split conformal in each pool; promises hold one by one. Risk: one delta for all pools together, divided
 * equally among the pools that the tune split gives a chance, see `riskThresholds`. Joint: half of delta for the risk
 * of answering wrongly, half for needless silence, which again is divided equally among the pools with answerable
 * examples enough; with probability 1 - delta all promises of both kinds hold at once.
 *
 * Documents (the `group` of items, see `documentsAmong`) are taken as drawn independently of each other and like those to
 * come; what is promised is about a question of a new document, every document counting alike, and the ladder counts
 * documents. With `exchangeable: 'questions'` examples are taken so, which gives narrower thresholds and breaks its word
 * where questions on one document are alike: the rows "(none) … by questions" of `npm run validity` say what that costs.
 *
 * Pure. Throws INTERNAL for a U that is not finite.
 */
export function calibrateActs(items: readonly Scored[], request: CalibrationRequest): ActThresholds {
  const named = request.scope === 'global' ? (['everything'] as const) : POOLS;
  const pools: Pool[] = named.map((acts) => ({ acts }));
  const members = named.map((acts) => items.filter(within(acts)));
  const byDocument = request.exchangeable !== 'questions' && documentsOf(items).length < items.length;
  if (request.target === 'coverage') addCoverage(pools, members, byDocument, request);
  else {
    const halves = request.target === 'joint' ? partOf(request.delta, 2) : request.delta;
    const scale = scaleOf(items, request.tune, byDocument);
    addRisk(pools, members, byDocument, scale, halves, request);
    if (request.target === 'joint') addSilence(pools, members, byDocument, scale, halves, request);
  }
  const acts = ACTS.map((act) => [act, thresholdOf(act, pools, items, byDocument, request)] as const);
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

/** Calibration units for each tune unit. */
function scaleOf(items: readonly Scored[], tune: readonly Scored[], byDocument: boolean): number {
  const units = (all: readonly Scored[]) => (byDocument ? documentsOf(all).length : all.length);
  return tune.length === 0 ? 0 : units(items) / units(tune);
}

function addCoverage(
  pools: Pool[],
  members: Scored[][],
  byDocument: boolean,
  { level, least = LEAST_EXAMPLES }: CoverageRequest,
): void {
  for (const [place, pool] of pools.entries()) {
    const documents = byDocument ? documentsOf(members[place]!) : [];
    const reached = byDocument
      ? conformalByDocument(
          documents.map((own) => own.map(scoreFor)),
          level,
        )
      : conformalThreshold(members[place]!.map(scoreFor), level);
    const missing = least - reached.n;
    const perDocument = documents.length === 0 ? 1 : reached.n / documents.length;
    const short =
      pool.acts === 'everything'
        ? 0
        : byDocument
          ? Math.max(Math.min(least, LEAST_DOCUMENTS) - documents.length, Math.ceil(missing / perDocument))
          : missing;
    pool.coverage =
      short > 0
        ? { ...reached, tau: null, why: 'too-few', needed: Math.max(short, reached.needed ?? 0) }
        : reached;
  }
}

function addRisk(
  pools: Pool[],
  members: Scored[][],
  byDocument: boolean,
  scale: number,
  delta: Fraction,
  { level, tune }: RiskRequest | JointRequest,
): void {
  const tunes = pools.map(({ acts }) => tune.filter(within(acts)));
  const plan = (own: readonly Scored[], share: Fraction) =>
    byDocument
      ? plannedDocuments(own, scale, level, share)
      : { ...planned(own, scale, level, share), stakes: new Map<number, number | null>() };
  const spread = partOf(delta, tunes.filter((own) => own.length > 0).length || 1);
  const fair = tunes.map((own) => plan(own, spread).power >= LEAST_POWER);
  const tested = worthTesting(pools, tunes, fair);
  const share = partOf(delta, tested.filter(Boolean).length);
  const chains = pools.map((_, place): Chain => {
    const { grid, stakes } = plan(tunes[place]!, share);
    const own = members[place]!;
    return {
      evidence: byDocument
        ? evidenceOfDocuments(own, level, (tau) => stakes.get(tau) ?? null)
        : evidenceOfQuestions(own, level),
      grid: grid.length > 0 ? grid : quantiles(tune),
      delta: share,
      tested: tested[place]!,
    };
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
  byDocument: boolean,
  scale: number,
  delta: Fraction,
  { ask, tune }: JointRequest,
): void {
  const tunes = pools.map(({ acts }) => tune.filter(within(acts)));
  const expected = tunes.map((own) => {
    const answerable = own.filter((item) => item.answerable === true);
    return scale * (byDocument ? documentsOf(answerable).length : answerable.length);
  });
  const some = expected.filter((count) => count > 0).length || 1;
  const least = floorWithoutErrors(ask, partOf(delta, some));
  const tested = pools.map(({ acts }, place) => acts === 'everything' || expected[place]! >= least);
  const share = partOf(delta, tested.filter(Boolean).length);
  for (const [place, pool] of pools.entries()) {
    const silence = byDocument
      ? silenceByDocument(members[place]!, tunes[place]!, scale, ask, share)
      : silenceThreshold(members[place]!, ask, share);
    pool.silence =
      tested[place] || silence.why !== 'reached' ? silence : { ...silence, askUpTo: null, why: 'untried' };
  }
}

function thresholdOf(
  act: Act,
  pools: readonly Pool[],
  items: readonly Scored[],
  byDocument: boolean,
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
    if (rung === 'act' || lenient || !contradicts(own, tau, level, byDocument)) return true;
    vetoed.push(rung);
    return false;
  });
  const tau = bar === undefined ? null : tauOf(bar.pool);
  const ask = rungs.find(({ pool }) => pool.silence?.askUpTo != null);
  const askUpTo = ask?.pool.silence?.askUpTo ?? null;
  return {
    rung: bar?.rung ?? 'none',
    tau,
    // On the scale of U nothing is left to ask below tau.
    askUpTo:
      askUpTo === null || items.some(({ silence }) => silence != null)
        ? askUpTo
        : Math.max(askUpTo, tau ?? 0),
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
