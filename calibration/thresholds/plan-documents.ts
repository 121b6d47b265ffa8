import { sigmoid } from '../../common/index.ts';
import { asNumber, type Fraction, type Level } from '../levels/level.ts';
import { logFactor, STAKES } from './bets.ts';
import { answeredDocuments } from './documents.ts';
import { type Plan, powerOf, quantiles } from './plan.ts';
import type { Scored } from './types.ts';

/** As `Plan`, with the test of each threshold: the stake, or null to draw an answer from each document. */
interface DocumentPlan extends Plan {
  stakes: ReadonlyMap<number, number | null>;
}

/**
 * `planned` over documents; `scale`: calibration documents for each tune document. At every threshold the test is chosen
 * that is most likely to pass. A bet on the shares of wrong answers wins where documents have many answers each and are
 * alike; a binomial over one answer a document, which is exact, where most have one.
 */
export function plannedDocuments(
  tune: readonly Scored[],
  scale: number,
  level: Level,
  delta: Fraction,
): DocumentPlan {
  const grid = quantiles(tune);
  const documents = answeredDocuments(tune);
  const stakes = new Map<number, number | null>();
  let [start, power] = [0, 0];
  for (const [place, tau] of grid.entries()) {
    const best = bestTest(documents.at(tau).wrong, scale, level, delta);
    stakes.set(tau, best.stake);
    if (best.power > power) [start, power] = [place, best.power];
  }
  return { grid: grid.slice(start), power, stakes };
}

/** The test most likely to pass on `scale` times as many documents whose shares are like these. */
function bestTest(
  shares: readonly number[],
  scale: number,
  level: Level,
  delta: Fraction,
): { stake: number | null; power: number } {
  const count = Math.round(shares.length * scale);
  const rate = (shares.reduce((sum, share) => sum + share, 0) + 0.5) / (shares.length + 1);
  const drawn = powerOf(count, rate, level, delta);
  const bet = bestBet(shares, scale, level, delta);
  return bet.power > drawn ? bet : { stake: null, power: drawn };
}

/** `bestTest` among bets; the full stake where none is better. */
export function bestBet(
  shares: readonly number[],
  scale: number,
  level: Level,
  delta: Fraction,
): { stake: number; power: number } {
  const count = Math.round(shares.length * scale);
  const bets = STAKES.map((stake) => ({
    stake,
    power: betPower(shares, count, stake, asNumber(level), asNumber(delta)),
  }));
  return bets.reduce((best, next) => (next.power >= best.power ? next : best));
}

/** What the tune split did not show: half a document, half of its answers wrong. */
const UNSEEN = { weight: 0.5, share: 0.5 } as const;

/** Chance that the capital grows to 1 / delta on `count` documents: its logarithm as a normal variable. */
function betPower(
  shares: readonly number[],
  count: number,
  stake: number,
  level: number,
  delta: number,
): number {
  const seen = shares.map((share) => ({ weight: 1, log: logFactor(share, level, stake) }));
  const all = [...seen, { weight: UNSEEN.weight, log: logFactor(UNSEEN.share, level, stake) }];
  const weight = all.reduce((sum, each) => sum + each.weight, 0);
  const mean = all.reduce((sum, each) => sum + each.weight * each.log, 0) / weight;
  if (mean === -Infinity) return 0;
  const variance = all.reduce((sum, each) => sum + each.weight * (each.log - mean) ** 2, 0) / weight;
  return normalCdf((count * mean + Math.log(delta)) / Math.sqrt(count * variance || 1));
}

/** Within 2e-3 (Bowling et al. 2009): only tests are chosen by it. */
function normalCdf(z: number): number {
  return sigmoid(1.702 * z);
}
