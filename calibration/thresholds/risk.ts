import { type Fraction, type Level, partOf, sumOf } from '../levels/level.ts';
import { floorWithoutErrors } from './binomial.ts';
import { type Evidence, evidenceOfQuestions } from './trials.ts';
import type { RiskThreshold, Scored, Why } from './types.ts';

/** The tests of one pool: thresholds in the order in which they are tried, strict to lax, and its share of delta. */
export interface Chain {
  evidence: Evidence;
  /** Ascending; chosen without the labels that the tests look at. */
  grid: readonly number[];
  delta: Fraction;
  /** False: not tested, and nothing of delta is spent; `delta` is then the share that it would have had. */
  tested: boolean;
}

/** How far a chain came: the thresholds before `passed` hold; `delta` is what the last test had. */
interface Walk {
  passed: number;
  delta: Fraction;
}

/**
 * Learn-Then-Test on one pool (Angelopoulos et al. 2021): the largest threshold of `grid` such that it and all before
 * it pass. Each hypothesis says "of the queries answered at this threshold, more than `level` are wrong"; its p-value
 * is that of `evidence` (by default the exact binomial tail, valid because given how many are answered, the wrong ones
 * are binomial). With probability
 * at least 1 - delta over the drawing of `items` the risk at the threshold returned is at most `level`, whether or not
 * risk grows with the threshold. That needs items that are independent and like the queries to come, and a grid
 * (its beginning too) that does not depend on their labels.
 */
export function riskThreshold(
  items: readonly Scored[],
  level: Level,
  delta: Fraction,
  grid: readonly number[],
): RiskThreshold {
  return riskThresholds(
    [{ evidence: evidenceOfQuestions(items, level), grid, delta, tested: true }],
    level,
  )[0]!;
}

/**
 * Learn-Then-Test on several pools at once, with one delta for all of them together.
 *
 * The hypotheses are all pairs (pool, threshold). Each pool's thresholds form a chain from strict to lax; a chain
 * starts with its share of delta. A test that passes hands the share to the next of its chain; a chain that passes to
 * its end hands its share, in equal parts, to the chains that have not. One threshold a chain makes this Holm's
 * procedure; one chain makes it the fixed sequence.
 *
 * Why the chance of any false pass is at most the sum of the shares: this is the graphical procedure of Bretz et al.
 * (2009, Statistics in Medicine 28) on the graph with an edge of weight 1 from each threshold to the next of its chain
 * and edges of weight 1 / (chains - 1) from the end of a chain to the beginnings of the others. (Taking a finished
 * chain out of that graph leaves weights 1 / (chains left - 1): equal parts again.) Shares only grow as hypotheses are
 * taken out. Up to the first false pass only false hypotheses were, so the share of the true one that falls is at most
 * what it has when all false ones are out; those shares are fixed numbers whose sum over the true hypotheses is at
 * most delta, and a union bound ends the proof. No independence between pools is used: they may overlap.
 */
export function riskThresholds(chains: readonly Chain[], level: Level): RiskThreshold[] {
  const walks = walk(chains);
  return chains.map((chain, place) => reported(chain, walks[place]!, level));
}

function walk(chains: readonly Chain[]): Walk[] {
  const walks = chains.map(({ delta }) => ({ passed: 0, delta }));
  const ended = new Set<number>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const [place, { evidence, grid, tested }] of chains.entries()) {
      if (!tested || ended.has(place)) continue;
      const own = walks[place]!;
      while (own.passed < grid.length && evidence.trial(grid[own.passed]!).passes(own.delta)) own.passed++;
      if (own.passed < grid.length) continue;
      ended.add(place);
      const heirs = walks.filter((_, other) => !ended.has(other) && chains[other]!.tested);
      for (const heir of heirs) heir.delta = sumOf(heir.delta, partOf(own.delta, heirs.length));
      changed = heirs.length > 0;
    }
  }
  return walks;
}

function reported({ evidence, grid, tested }: Chain, { passed, delta }: Walk, level: Level): RiskThreshold {
  const { answered } = evidence;
  const tau = passed === 0 ? null : grid[passed - 1]!;
  const shown = tau ?? grid[0];
  const trial = evidence.trial(shown ?? -1);
  const floor = shown === undefined ? floorWithoutErrors(level, delta) : trial.floor(delta);
  const more = tau === null ? needed(evidence, grid, delta, floor) : 0;
  const first = tested ? trial.units : evidence.open;
  return {
    n: answered.n,
    unlabelled: answered.unlabelled,
    tau,
    why: tau === null ? whyNot(evidence, first < floor && more !== null, tested) : 'reached',
    ...answered.at(shown ?? -1),
    pValue: trial.pValue,
    delta,
    floor,
    needed: more,
    documents: trial.documents,
  };
}

function whyNot({ units, open }: Evidence, tooFew: boolean, tested: boolean): Why {
  if (units > 0 && open === 0) return 'gates';
  if (tooFew) return 'too-few';
  return tested ? 'errors' : 'untried';
}

/** See RiskThreshold.needed: the cheapest threshold of the grid, at its own rates of answers and of errors. */
function needed(
  { units, trial }: Evidence,
  grid: readonly number[],
  delta: Fraction,
  floor: number,
): number | null {
  if (units === 0) return floor;
  const totals = grid.flatMap((tau) => {
    const own = trial(tau);
    const answers = own.wanted(delta);
    return answers === null ? [] : [Math.ceil((answers * units) / own.units)];
  });
  return totals.length === 0 ? null : Math.max(1, Math.min(...totals) - units);
}
