import type { DocumentMean } from '../metrics/by-document.ts';
import { STAKES } from '../thresholds/bets.ts';

/** What an artifact's interval of a mean over documents misses on either side. */
const KEPT_AT = 0.025;

/**
 * Limits of a mean over documents, each of which is wrong with probability at most `each`. The artifact keeps the mean
 * and its 95 % interval by betting (`intervalOfMean`), not the documents' shares, so that the interval is carried out.
 */
export function limitsByDocument(
  { documents, value, low, high }: DocumentMean,
  each: number,
): { low: number; high: number } {
  if (value === null || low === null || high === null) return { low: 0, high: 1 };
  return {
    low: 1 - carried(documents, 1 - value, 1 - low, each),
    high: carried(documents, value, high, each),
  };
}

/**
 * An upper limit that is wrong with probability at most `each`, from `kept`, the limit that betting gave at KEPT_AT.
 *
 * Against the mean `kept` the capital, spread over STAKES, grew to at least 1 / KEPT_AT. Against a higher mean m each
 * stake's capital has grown more. By how much, in logarithms, is a sum of a concave function of the shares, so that for
 * their mean it is least where all of them are 0 or 1; it is 0 for a share of 1. How the capital was spread at `kept` is
 * not known either: the slowest stakes are taken to hold as much of it as the mean allows (Jensen), then the next ones.
 * Where even so it has grown to 1 / each, betting on the shares themselves would have refused m: the limit lies no
 * nearer than theirs, and is wrong no more often.
 */
function carried(documents: number, mean: number, kept: number, each: number): number {
  if (kept >= 1 || each >= KEPT_AT) return Math.min(1, kept);
  const bets = STAKES.map((stake) => ({
    stake,
    most: Math.exp(documents * Math.log1p((stake * (kept - mean)) / (1 - kept))),
  }));
  const grown = (m: number) => {
    let left = STAKES.length / KEPT_AT;
    return bets
      .map(({ stake, most }) => {
        const atNone = (1 + (stake * m) / (1 - m)) / (1 + (stake * kept) / (1 - kept));
        return { most, growth: documents * (1 - mean) * Math.log(atNone) };
      })
      .sort((a, b) => a.growth - b.growth)
      .reduce((sum, { most, growth }) => {
        const held = Math.min(left, most);
        left -= held;
        return sum + held * Math.exp(growth);
      }, 0);
  };
  let [low, high] = [kept, 1];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (grown(middle) >= STAKES.length / each) high = middle;
    else low = middle;
  }
  return high;
}
