import { randomInteger, seededRandom } from '../../common/index.ts';

export interface BootstrapOptions {
  /** Resamples drawn. Default 1,000. */
  resamples?: number;
  /** Default 1. */
  seed?: number;
  /** Share of resamples inside the interval. Default 0.95. */
  level?: number;
}

export interface Interval {
  low: number;
  high: number;
}

/**
 * Percentile bootstrap interval of `statistic`, drawing whole groups (documents, articles) with replacement:
 * questions on one text are not independent. Null with fewer than two groups, where resampling can show no
 * spread, and when `statistic` is null for some resample.
 */
export function bootstrapInterval<T>(
  groups: readonly (readonly T[])[],
  statistic: (items: readonly T[]) => number | null,
  { resamples = 1_000, seed = 1, level = 0.95 }: BootstrapOptions = {},
): Interval | null {
  if (groups.length < 2) return null;
  const random = seededRandom(seed);
  const values: number[] = [];
  for (let r = 0; r < resamples; r++) {
    const drawn: T[] = [];
    for (let g = 0; g < groups.length; g++) {
      for (const item of groups[randomInteger(random, groups.length)]!) drawn.push(item);
    }
    const value = statistic(drawn);
    if (value === null) return null;
    values.push(value);
  }
  values.sort((a, b) => a - b);
  return { low: quantile(values, (1 - level) / 2), high: quantile(values, (1 + level) / 2) };
}

/** Items gathered by what `groupOf` says of them, in order of first appearance. */
export function grouped<T>(items: readonly T[], groupOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(groupOf(item));
    if (group === undefined) groups.set(groupOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** `value` is null where the item could not be scored. */
export interface Scored {
  group: string;
  value: number | null;
}

/**
 * `mean` and `interval` are over the scored items. `unscored` are part of `n`: `low` and `high` say what the mean
 * over all `n` would be if each of them had been 0, or 1.
 */
export interface Summary {
  n: number;
  unscored: number;
  groups: number;
  mean: number | null;
  interval: Interval | null;
  low: number;
  high: number;
}

/** Mean of values in [0, 1] with its interval by group. Throws RangeError without items. */
export function summarise(items: readonly Scored[], options: BootstrapOptions = {}): Summary {
  const n = items.length;
  if (n === 0) throw new RangeError('there is nothing to summarise');
  const { mean, interval, scored, groups } = meanByGroup(items, options);
  const sum = (mean ?? 0) * scored;
  return { n, unscored: n - scored, groups, mean, interval, low: sum / n, high: (sum + n - scored) / n };
}

/** One item under two policies. */
export interface Paired {
  group: string;
  a: number | null;
  b: number | null;
}

/** Mean of a - b over the items that both could score, its interval by group, and how many pairs differ. */
export function pairedDifference(
  pairs: readonly Paired[],
  options: BootstrapOptions = {},
): {
  n: number;
  unscored: number;
  aHigher: number;
  bHigher: number;
  mean: number | null;
  interval: Interval | null;
} {
  const differences = pairs.map(({ group, a, b }) => ({
    group,
    value: a === null || b === null ? null : a - b,
  }));
  const { mean, interval, scored } = meanByGroup(differences, options);
  return {
    n: pairs.length,
    unscored: pairs.length - scored,
    aHigher: differences.filter(({ value }) => value !== null && value > 0).length,
    bHigher: differences.filter(({ value }) => value !== null && value < 0).length,
    mean,
    interval,
  };
}

/** Each group is reduced to its sum and count first: a resample then costs as many steps as there are groups. */
function meanByGroup(items: readonly Scored[], options: BootstrapOptions) {
  const scored = items.flatMap(({ group, value }) => (value === null ? [] : [{ group, value }]));
  const totals = grouped(scored, (item) => item.group).map((group) => [
    { sum: group.reduce((sum, item) => sum + item.value, 0), count: group.length },
  ]);
  const mean = (parts: readonly { sum: number; count: number }[]): number => {
    let sum = 0;
    let count = 0;
    for (const part of parts) {
      sum += part.sum;
      count += part.count;
    }
    return sum / count;
  };
  return {
    mean: scored.length === 0 ? null : mean(totals.flat()),
    interval: bootstrapInterval(totals, mean, options),
    scored: scored.length,
    groups: totals.length,
  };
}

/** Quantile of sorted values by linear interpolation between order statistics. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below]! + (sorted[above]! - sorted[below]!) * (place - below);
}

/** Quantiles of values that need not be sorted; null without values. */
export function quantilesOf(values: readonly number[], shares: readonly number[]): number[] | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return shares.map((share) => quantile(sorted, share));
}
