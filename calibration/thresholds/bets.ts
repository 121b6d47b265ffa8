/**
 * Tests of "the mean of these shares is above the level" by betting (Waudby-Smith and Ramdas 2024, "Estimating means of
 * bounded random variables by betting", JRSS B 86).
 *
 * Shares lie in [0, 1], each from one document, documents drawn independently. Who believes that the mean is below the
 * level stakes a part of their capital on each document: it is multiplied by 1 + stake * (level - share) / (1 - level).
 * If the mean is above the level no factor has an expectation above 1, so that by Markov's inequality the capital grows
 * beyond 1 / delta with probability at most delta, whatever the shares' distribution. The order of documents does not
 * matter. Shares that differ little cost little: that is what a question a document cannot use.
 */

/** Parts of the capital that may be staked. The stake of a test is chosen on the tune split. */
export const STAKES = [0.25, 0.5, 0.75, 1] as const;

/** What additions of floats may be wrong by; a test is passed by more than that or not at all. */
const FLOAT_ERROR = 1e-9;

/** Logarithm of what a capital of 1 became; -Infinity: lost. `level` in (0, 1), `stake` in (0, 1]. */
export function logCapital(shares: readonly number[], level: number, stake: number): number {
  return shares.reduce((sum, share) => sum + logFactor(share, level, stake), 0);
}

export function logFactor(share: number, level: number, stake: number): number {
  // At the full stake a share of 1 loses everything: no rounding may leave a rest.
  return share === 1 && stake === 1 ? -Infinity : Math.log1p((stake * (level - share)) / (1 - level));
}

/** Has the capital grown to 1 / delta? */
export function wins(log: number, delta: number): boolean {
  return log >= -Math.log(delta) + FLOAT_ERROR;
}

/** The fewest documents that can win: those with share 0. */
export function leastDocuments(level: number, stake: number, delta: number): number {
  return documentsToWin(logFactor(0, level, stake), delta)!;
}

/** Documents with which a capital that grows by `growth` (log) a document wins; null: with no number. */
export function documentsToWin(growth: number, delta: number): number | null {
  return growth > 0 ? Math.ceil((-Math.log(delta) + FLOAT_ERROR) / growth) : null;
}

/**
 * Interval for the mean of shares in [0, 1], each of one document, documents drawn independently: what a capital spread
 * evenly over STAKES does not win against. Misses the mean with probability at most 1 - level, at any number of
 * documents and for any distribution; limits are accurate to 1e-4, outwards. Null without shares.
 */
export function intervalOfMean(
  shares: readonly number[],
  level = 0.95,
): { low: number; high: number } | null {
  if (shares.length === 0) return null;
  const delta = (1 - level) / 2;
  return {
    low: Math.max(
      0,
      1 -
        upperLimit(
          shares.map((share) => 1 - share),
          delta,
        ),
    ),
    high: Math.min(1, upperLimit(shares, delta)),
  };
}

/** The least mean that is refused as too high; the capital won against a mean grows with it. */
function upperLimit(shares: readonly number[], delta: number): number {
  let [low, high] = [0, 1];
  while (high - low > 1e-4) {
    const middle = (low + high) / 2;
    const capital = STAKES.reduce((sum, stake) => sum + Math.exp(logCapital(shares, middle, stake)), 0);
    if (wins(Math.log(capital / STAKES.length), delta)) high = middle;
    else low = middle;
  }
  return high;
}
