/**
 * Paired tests of two policies on the same questions. Differences are `a - b`, as in `pairedDifference`; whether more
 * is better depends on the figure. Chance enters only through the seed.
 */
import { type BootstrapOptions, grouped, type Interval, type Paired, quantile } from './intervals.ts';
import { resampled, selectiveUnder } from './resampled.ts';

/**
 * Two-sided exact McNemar test: `onlyA` and `onlyB` questions that only one of two policies got right. Under no
 * difference the smaller count is Binomial(onlyA + onlyB, 1/2); p is twice its lower tail, at most 1. Questions count
 * as independent. Throws RangeError for counts that are none.
 */
export function mcnemarExact(onlyA: number, onlyB: number): number {
  for (const count of [onlyA, onlyB]) {
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is no count`);
  }
  const n = onlyA + onlyB;
  const least = Math.min(onlyA, onlyB);
  let logTerm = -n * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= least; k++) {
    logTerm += Math.log((n - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}

/**
 * p-values adjusted by Holm's step-down method (1979), in the order given: all those at most q are rejected together
 * with a chance of any false rejection of at most q. Throws RangeError for a number outside [0, 1].
 */
export function holm(ps: readonly number[]): number[] {
  for (const p of ps) if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is no p-value`);
  const order = ps.map((_, place) => place).sort((a, b) => ps[a]! - ps[b]!);
  const adjusted = new Array<number>(ps.length);
  let highest = 0;
  for (const [rank, place] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (ps.length - rank) * ps[place]!));
    adjusted[place] = highest;
  }
  return adjusted;
}

/**
 * `a`, `b` and `difference` = a - b over the questions that both could score. `interval` and `p` by bootstrap over
 * whole groups; both null with fewer than two groups. `p` is two-sided, by inverting the percentile interval:
 * `2 * (1 + the resamples on the rarer side of 0) / (resamples + 1)`, at most 1.
 */
export interface Contrast {
  n: number;
  unscored: number;
  groups: number;
  a: number | null;
  b: number | null;
  difference: number | null;
  interval: Interval | null;
  p: number | null;
}

/** Default resamples: enough that a p-value survives Holm over a family of fifty. */
const RESAMPLES = 10_000;

function drawing({ resamples = RESAMPLES, seed = 1 }: BootstrapOptions) {
  return { resamples, seed };
}

/** Difference of means. Also counts the questions on which one policy was higher, for `mcnemarExact`. */
export function contrastOfMeans(
  pairs: readonly Paired[],
  options: BootstrapOptions = {},
): Contrast & { aHigher: number; bHigher: number } {
  const scored = pairs.flatMap(({ group, a, b }) => (a === null || b === null ? [] : [{ group, a, b }]));
  const groups = grouped(scored, ({ group }) => group).map((items) => ({
    n: items.length,
    a: items.reduce((sum, item) => sum + item.a, 0),
    b: items.reduce((sum, item) => sum + item.b, 0),
  }));
  const meanOf = (side: 'a' | 'b') =>
    scored.length === 0 ? null : groups.reduce((sum, group) => sum + group[side], 0) / scored.length;
  const [a, b] = [meanOf('a'), meanOf('b')];
  const differenceOf = (counts: Int32Array) => {
    let n = 0;
    let sum = 0;
    for (const [place, group] of groups.entries()) {
      n += counts[place]! * group.n;
      sum += counts[place]! * (group.a - group.b);
    }
    return [sum / n];
  };
  return {
    n: pairs.length,
    unscored: pairs.length - scored.length,
    groups: groups.length,
    a,
    b,
    difference: a === null || b === null ? null : a - b,
    ...summaryOf(resampled(groups.length, differenceOf, drawing(options))?.[0], options),
    aHigher: scored.filter((pair) => pair.a > pair.b).length,
    bHigher: scored.filter((pair) => pair.a < pair.b).length,
  };
}

/** One question under two policies; `uncertainty` null: answered after all others. `loss` in [0, 1]. */
export interface PairedSelective {
  group: string;
  a: { uncertainty: number | null; loss: number };
  b: { uncertainty: number | null; loss: number };
}

export const AREAS = ['AURC', 'E-AURC', 'AUGRC', 'risk'] as const;
export type Area = (typeof AREAS)[number];

/**
 * Differences of the areas of `metrics/selective.ts`, and of the risk at `coverage` (`risk`), all on the same
 * resamples of whole groups. Ties are spread evenly, as there. Throws RangeError for an uncertainty that is not finite
 * or a loss outside [0, 1].
 */
export function contrastOfAreas(
  items: readonly PairedSelective[],
  coverage: number,
  options: BootstrapOptions = {},
): Record<Area, Contrast> {
  const { groups, figures: ofA } = side(items, 'a', coverage);
  const { figures: ofB } = side(items, 'b', coverage);
  const all = new Int32Array(groups).fill(1);
  const [a, b] = items.length === 0 ? [null, null] : [ofA(all), ofB(all)];
  const differencesOf = (counts: Int32Array) => {
    const theirs = ofB(counts);
    return ofA(counts).map((value, area) => value - theirs[area]!);
  };
  const differences = resampled(groups, differencesOf, drawing(options));
  const contrast = (area: number): Contrast => ({
    n: items.length,
    unscored: 0,
    groups,
    a: a?.[area] ?? null,
    b: b?.[area] ?? null,
    difference: a === null || b === null ? null : a[area]! - b[area]!,
    ...summaryOf(differences?.[area], options),
  });
  return Object.fromEntries(AREAS.map((name, area) => [name, contrast(area)])) as Record<Area, Contrast>;
}

/** The four areas of one policy as a function of how often each group was drawn. */
function side(items: readonly PairedSelective[], name: 'a' | 'b', coverage: number) {
  const { groups, figures } = selectiveUnder(
    items.map((item) => ({ group: item.group, ...item[name] })),
    [coverage],
  );
  return {
    groups,
    figures: (counts: Int32Array): number[] => {
      const [aurc, , excess, augrc, risk] = figures(counts);
      return [aurc!, excess!, augrc!, risk!];
    },
  };
}

function summaryOf(
  values: readonly number[] | undefined,
  { level = 0.95 }: BootstrapOptions,
): Pick<Contrast, 'interval' | 'p'> {
  if (values === undefined) return { interval: null, p: null };
  const ordered = [...Float64Array.from(values).sort()];
  const below = ordered.filter((value) => value <= 0).length;
  const above = ordered.filter((value) => value >= 0).length;
  return {
    interval: { low: quantile(ordered, (1 - level) / 2), high: quantile(ordered, (1 + level) / 2) },
    p: Math.min(1, (2 * (1 + Math.min(below, above))) / (ordered.length + 1)),
  };
}
