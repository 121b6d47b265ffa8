/**
 * A column in bins: 0 is "not measured", the others ascend. `cuts[b - 1]` parts bin b from bin b + 1. `least`: the
 * smallest value that was seen; NaN where nothing was.
 */
export interface BinnedColumn {
  bin: Uint8Array;
  least: number;
  cuts: readonly number[];
}

/**
 * Bins of about equal mass, at most `most` (under 255) besides the one for missing values (NaN), on the rows at
 * `places`; equal values are never parted. A value outside the range that was seen falls into the outermost bin.
 */
export function binned(column: Float64Array, places: Int32Array, most: number): BinnedColumn {
  const seen = Float64Array.from(places, (place) => column[place]!)
    .filter((value) => !Number.isNaN(value))
    .sort();
  const cuts: number[] = [];
  let held = 0;
  for (let i = 0; i + 1 < seen.length && cuts.length + 1 < most; i++) {
    held += 1;
    const [here, next] = [seen[i]!, seen[i + 1]!];
    if (next === here) continue;
    // What is left is spread over the bins that are left.
    if (held * (most - cuts.length) >= seen.length - (i + 1) + held) {
      cuts.push(between(here, next));
      held = 0;
    }
  }
  const bin = Uint8Array.from(column, (value) => (Number.isNaN(value) ? 0 : 1 + below(cuts, value)));
  return { bin, least: seen[0] ?? Number.NaN, cuts };
}

/** How many of the ascending cuts lie at or below `value`. */
function below(cuts: readonly number[], value: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of fewest digits in (low, high] near the middle: a threshold that can be read. */
export function between(low: number, high: number): number {
  const middle = low + (high - low) / 2;
  for (let digits = 2; digits <= 17; digits++) {
    const short = Number(middle.toPrecision(digits));
    if (short > low && short <= high) return short;
  }
  return high;
}
