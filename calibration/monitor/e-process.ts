/**
 * Evidence against "the mean is at most m" that may be looked at after every observation, for ever.
 *
 * A test by betting (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting"): of a
 * capital of one, a share g of the largest stake allowed is put on the mean being above m. One observation x in
 * [0, 1] multiplies the capital by (1 - g) + g * x / m, whose expectation is at most one while the mean, given all
 * that went before, is at most m; nothing else is asked of the observations.
 *
 * A stream may drift at any time. So capital is laid aside before the first observation and put into the game bit by
 * bit: half of it at once, for a stream that differs from the start, the rest over all later places in the stream,
 * the place t with a share of about 1 / (t log^2 t) (a mixture over change points, as in Shin, Ramdas and Rinaldo
 * 2024, "E-detectors", with a prior that sums to one; here false alarms are bounded over the whole stream and not
 * only on average between two of them). Since every bet of one g that has begun is multiplied alike, one number a g
 * holds them all. Capital laid aside keeps its worth, what is staked has expectation at most what it was: the sum is
 * a non-negative supermartingale that starts at one, and by Ville's inequality it ever reaches 1 / a with probability
 * at most a.
 */

/** Shares of the largest stake. A small one finds small shifts, a large one finds large shifts soon. */
const STAKES = [0.005, 0.015, 0.04, 0.1, 0.25, 0.6] as const;
/** Observations over which the prior on the place of a change is about even. */
const SPREAD = 100;
/** Beyond any threshold, and far from where products are no longer numbers. */
const ENOUGH = 1e200;
/** Observations over which `recent` remembers. */
const MEMORY = 100;

export interface EProcessState {
  /** Observations so far. */
  n: number;
  /** Their sum. */
  sum: number;
  /** Mean of the latest hundred or so, older ones fading; for people, no part of the test. Null before the first. */
  recent: number | null;
  /** What the bets that have begun are worth, one number a stake. */
  staked: number[];
}

export function freshEProcess(): EProcessState {
  return { n: 0, sum: 0, recent: null, staked: STAKES.map(() => 0) };
}

/** Which way the mean is suspected to go, and the largest (`up`) or least (`down`) mean that is no drift. */
export interface Hypothesis {
  readonly direction: 'up' | 'down';
  readonly bound: number;
}

/** False where the bound is so far out that no mean lies beyond it. */
export function testable({ direction, bound }: Hypothesis): boolean {
  return direction === 'up' ? bound < 1 : bound > 0;
}

/** Takes one observation in [0, 1] into `state`. Throws RangeError for any other, and for a bound that is 0 going up. */
export function observe(state: EProcessState, hypothesis: Hypothesis, x: number): void {
  if (!(x >= 0 && x <= 1)) throw new RangeError(`${x} is no observation in [0, 1]`);
  const up = hypothesis.direction === 'up';
  const m = up ? hypothesis.bound : 1 - hypothesis.bound;
  if (!(m > 0)) throw new RangeError(`a bound of ${hypothesis.bound} allows no bet`);
  const gain = (up ? x : 1 - x) / m;
  const begun = (aside(state.n) - aside(state.n + 1)) / STAKES.length;
  for (const [place, share] of STAKES.entries()) {
    const worth = (state.staked[place]! + begun) * (1 - share + share * gain);
    state.staked[place] = Math.min(worth, ENOUGH);
  }
  state.n += 1;
  state.sum += x;
  state.recent = state.recent === null ? x : state.recent + (x - state.recent) / Math.min(state.n, MEMORY);
}

/** The e-value now: how many times the capital has grown. At least 1 / a ever, without drift: with probability at most a. */
export function evidenceOf(state: EProcessState): number {
  return state.staked.reduce((sum, worth) => sum + worth, aside(state.n));
}

/** Share of the capital that is not yet staked after n observations. */
function aside(n: number): number {
  return n === 0 ? 1 : 0.5 / (1 + Math.log(1 + n / SPREAD));
}
