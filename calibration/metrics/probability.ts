/**
 * How good stated probabilities of being right are. `confidence` in [0, 1]; `right`: 1 or 0, or a share in between
 * (F1). All throw RangeError for a number outside [0, 1], NaN included.
 */
export interface Forecast {
  confidence: number;
  right: number;
}

/** Brier score: mean of (confidence - right)^2 (Brier 1950). 0 is best; always saying .5 gets .25. Null without items. */
export function brier(items: readonly Forecast[]): number | null {
  if (items.length === 0) return null;
  return (
    checked(items).reduce((sum, { confidence, right }) => sum + (confidence - right) ** 2, 0) / items.length
  );
}

/** One bin: how many, their mean confidence and the share of them that is right. */
export interface ReliabilityBin {
  n: number;
  confidence: number;
  right: number;
}

/**
 * Bins of equal mass: in order of confidence, cut after every n/bins items, later where the cut would fall into a tie
 * (equal confidences are never parted, so that no figure depends on the order of the input). Hence at most `bins`
 * bins, none empty.
 */
export function equalMassBins(items: readonly Forecast[], bins: number): ReliabilityBin[] {
  return binned(inOrder(items), bins, null);
}

/**
 * Expected calibration error: sum over bins of n_b/n * |mean confidence - share right| (Naeini et al. 2015, with bins
 * of equal mass as in Nixon et al. 2019). Biased upwards with few items a bin, see `errorByChance`. Null without items.
 */
export function calibrationError(items: readonly Forecast[], bins: number): number | null {
  return errorOf(equalMassBins(items, bins));
}

/**
 * The calibration error to expect of forecasts that are exact, because a bin of few is never right just as often as it
 * says: sum over bins of n_b/n * sqrt(2/pi * v_b / n_b), v_b the mean of c(1-c) in the bin (the mean distance of a
 * normal variable from its mean). Null without items.
 */
export function errorByChance(items: readonly Forecast[], bins: number): number | null {
  if (items.length === 0) return null;
  const variances = items.map(({ confidence, right }) => ({
    confidence,
    right,
    variance: confidence * (1 - confidence),
  }));
  const order = inOrder(variances);
  let start = 0;
  return binned(order, bins, null).reduce((sum, { n }) => {
    const own = order.slice(start, start + n);
    start += n;
    const variance = own.reduce((total, item) => total + item.variance, 0) / n;
    return sum + (n / items.length) * Math.sqrt(((2 / Math.PI) * variance) / n);
  }, 0);
}

/** Forecasts in order, for resampling: `errorWith(weights)` is the calibration error when item i stands weights[i] times. */
export function resampledCalibrationError<T extends Forecast>(
  items: readonly T[],
  bins: number,
): { order: readonly T[]; errorWith(weights: ArrayLike<number>): number | null } {
  const order = inOrder(items);
  return { order, errorWith: (weights) => errorOf(binned(order, bins, weights)) };
}

function errorOf(bins: readonly ReliabilityBin[]): number | null {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (n === 0) return null;
  return bins.reduce((sum, bin) => sum + (bin.n / n) * Math.abs(bin.confidence - bin.right), 0);
}

function binned(
  order: readonly Forecast[],
  bins: number,
  weights: ArrayLike<number> | null,
): ReliabilityBin[] {
  if (!Number.isSafeInteger(bins) || bins < 1) throw new RangeError(`${bins} is no number of bins`);
  let total = 0;
  for (let i = 0; i < order.length; i++) total += weights?.[i] ?? 1;
  const found: ReliabilityBin[] = [];
  let [seen, n, confidence, right] = [0, 0, 0, 0];
  for (let i = 0; i < order.length; i++) {
    const item = order[i]!;
    const weight = weights?.[i] ?? 1;
    n += weight;
    confidence += weight * item.confidence;
    right += weight * item.right;
    const tied = i + 1 < order.length && order[i + 1]!.confidence === item.confidence;
    if (n === 0 || tied) continue;
    // The next cut that is due lies after a whole number of n/bins items; in whole numbers, so that no rounding moves it.
    const due = (Math.floor((seen * bins) / total) + 1) * total;
    if ((seen + n) * bins < due && seen + n < total) continue;
    found.push({ n, confidence: confidence / n, right: right / n });
    seen += n;
    [n, confidence, right] = [0, 0, 0];
  }
  return found;
}

function inOrder<T extends Forecast>(items: readonly T[]): T[] {
  return [...checked(items)].sort((a, b) => a.confidence - b.confidence);
}

function checked<T extends Forecast>(items: readonly T[]): readonly T[] {
  for (const { confidence, right } of items) {
    if (!(confidence >= 0 && confidence <= 1))
      throw new RangeError(`confidence ${confidence} is not in [0, 1]`);
    if (!(right >= 0 && right <= 1)) throw new RangeError(`right ${right} is not in [0, 1]`);
  }
  return items;
}

/**
 * How often an item that is positive has the higher score than one that is not, a tie half, in [0, 1]: area under the
 * ROC curve by ranks (Mann and Whitney 1947), tied scores sharing the mean of their ranks. Null when there are not both.
 */
export function auroc(items: readonly { score: number; positive: boolean }[]): number | null {
  const order = [...items].sort((a, b) => a.score - b.score);
  let [ranks, positives] = [0, 0];
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]!.score === order[from]!.score) to++;
    for (const { positive } of order.slice(from, to)) {
      if (!positive) continue;
      positives++;
      ranks += (from + 1 + to) / 2;
    }
    from = to;
  }
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return null;
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}
