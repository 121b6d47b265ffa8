/**
 * Areas and risks of `selective.ts` with percentile bootstrap intervals by group. Items are sorted once; a resample
 * then is a count for each group, and costs as many steps as there are items.
 */
import { randomInteger, seededRandom } from '../../common/index.ts';
import { type BootstrapOptions, type Interval, quantile } from './intervals.ts';
import { checkItems, type SelectiveItem } from './selective.ts';

export interface GroupedItem extends SelectiveItem {
  group: string;
}

/** AURC = `oracle` + `excess`. `risks`: mean loss of the least uncertain share, for each coverage asked for. */
export interface SelectiveFigures<T> {
  aurc: T;
  oracle: T;
  excess: T;
  augrc: T;
  risks: T[];
}

/**
 * The figures of a ranking: AURC, the AURC of the best order that the losses allow, the difference, AUGRC, and the
 * risk at each of `coverages`; ties are spread evenly, and an item without uncertainty comes last. Null without items.
 * Throws RangeError for an uncertainty that is not finite or a loss outside [0, 1].
 */
export function selectiveFigures(
  items: readonly GroupedItem[],
  coverages: readonly number[],
  options: BootstrapOptions = {},
): { values: SelectiveFigures<number>; intervals: SelectiveFigures<Interval | null> } | null {
  if (items.length === 0) return null;
  const { groups, figures } = selectiveUnder(items, coverages);
  const intervals = bootstrapFigures(groups, figures, options);
  return {
    values: named(figures(new Int32Array(groups).fill(1))),
    intervals: named(intervals ?? new Array<null>(4 + coverages.length).fill(null)),
  };
}

/**
 * The same figures as a function of how often each group was drawn, groups numbered in order of first appearance: AURC,
 * the AURC of the best order, the difference, AUGRC, then the risks. Not to be called without items.
 */
export function selectiveUnder(
  items: readonly GroupedItem[],
  coverages: readonly number[],
): { groups: number; figures: (counts: Int32Array) => number[] } {
  const groups = [...new Set(items.map(({ group }) => group))];
  const placeOf = new Map(groups.map((group, place) => [group, place]));
  const own = ordered(items, placeOf, ({ uncertainty }) => uncertainty ?? Number.POSITIVE_INFINITY);
  const best = ordered(items, placeOf, ({ loss }) => loss);
  return {
    groups: groups.length,
    figures: (counts) => {
      const { aurc, augrc, risks } = walk(own, counts, coverages);
      const oracle = walk(best, counts, []).aurc;
      return [aurc, oracle, aurc - oracle, augrc, ...risks];
    },
  };
}

/**
 * Percentile intervals of several figures on the same resamples of `groups` groups, each drawn as often as `counts`
 * says. Null with fewer than two groups or no resamples; a single interval is null when its figure was null in some resample.
 */
export function bootstrapFigures(
  groups: number,
  figures: (counts: Int32Array) => readonly (number | null)[],
  { resamples = 1_000, seed = 1, level = 0.95 }: BootstrapOptions = {},
): (Interval | null)[] | null {
  const columns = resampled(groups, figures, { resamples, seed });
  if (columns === null) return null;
  return columns.map((values) => {
    const known = values.filter((value) => value !== null);
    if (known.length < values.length) return null;
    known.sort((a, b) => a - b);
    return { low: quantile(known, (1 - level) / 2), high: quantile(known, (1 + level) / 2) };
  });
}

/**
 * What each figure is on every resample of `groups` groups, a list a figure; `counts` says how often each group was
 * drawn. Null with fewer than two groups or no resamples.
 */
export function resampled<T>(
  groups: number,
  figures: (counts: Int32Array) => readonly T[],
  { resamples, seed }: { resamples: number; seed: number },
): T[][] | null {
  if (groups < 2 || resamples === 0) return null;
  const random = seededRandom(seed);
  const counts = new Int32Array(groups);
  const columns: T[][] = [];
  for (let r = 0; r < resamples; r++) {
    counts.fill(0);
    for (let g = 0; g < groups; g++) counts[randomInteger(random, groups)]! += 1;
    for (const [place, value] of figures(counts).entries()) {
      columns[place] ??= [];
      columns[place].push(value);
    }
  }
  return columns;
}

function named<T>([aurc, oracle, excess, augrc, ...risks]: readonly T[]): SelectiveFigures<T> {
  return { aurc: aurc!, oracle: oracle!, excess: excess!, augrc: augrc!, risks };
}

/** Items in order; those of one tie and one group are one entry. */
interface Order {
  /** Items of an entry, their summed loss, their group. */
  size: Float64Array;
  loss: Float64Array;
  group: Int32Array;
  /** Past the last entry of the tie in which an entry stands. */
  tieEnd: Int32Array;
}

function ordered(
  items: readonly GroupedItem[],
  placeOf: ReadonlyMap<string, number>,
  key: (item: GroupedItem) => number,
): Order {
  checkItems(items);
  const keyed = items.map((item) => ({ at: key(item), group: placeOf.get(item.group)!, loss: item.loss }));
  keyed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.group - b.group));
  const entries: { at: number; group: number; size: number; loss: number }[] = [];
  for (const { at, group, loss } of keyed) {
    const last = entries.at(-1);
    if (last === undefined || last.at !== at || last.group !== group)
      entries.push({ at, group, size: 1, loss });
    else {
      last.size++;
      last.loss += loss;
    }
  }
  const tieEnd = new Int32Array(entries.length);
  for (let i = entries.length - 1; i >= 0; i--) {
    tieEnd[i] = i + 1 < entries.length && entries[i]!.at === entries[i + 1]!.at ? tieEnd[i + 1]! : i + 1;
  }
  return {
    size: Float64Array.from(entries, (entry) => entry.size),
    loss: Float64Array.from(entries, (entry) => entry.loss),
    group: Int32Array.from(entries, (entry) => entry.group),
    tieEnd,
  };
}

/** One pass from the least uncertain on, each item as often as its group was drawn. */
function walk(order: Order, counts: Int32Array, coverages: readonly number[]) {
  const { loss, group, tieEnd } = order;
  let n = 0;
  for (let i = 0; i < loss.length; i++) n += counts[group[i]!]! * order.size[i]!;
  const wanted = coverages
    .map((coverage, place) => ({ place, at: Math.min(n, Math.max(1, Math.round(coverage * n))) }))
    .sort((a, b) => a.at - b.at);
  let next = 0;
  const risks = new Array<number>(wanted.length).fill(0);
  let answered = 0;
  let lost = 0;
  let riskSum = 0;
  let lossSum = 0;
  for (let start = 0; start < loss.length; start = tieEnd[start]!) {
    let size = 0;
    let inTie = 0;
    for (let i = start; i < tieEnd[start]!; i++) {
      size += counts[group[i]!]! * order.size[i]!;
      inTie += counts[group[i]!]! * loss[i]!;
    }
    if (size === 0) continue;
    // The sums over i = 1 … size of (lost + each * i) / (answered + i), and of lost + each * i, in closed form.
    const each = inTie / size;
    const reciprocals = harmonic(answered + size) - harmonic(answered);
    riskSum += inTie + (lost - each * answered) * reciprocals;
    lossSum += size * lost + (inTie * (size + 1)) / 2;
    for (; next < wanted.length && wanted[next]!.at <= answered + size; next++) {
      const { place, at } = wanted[next]!;
      risks[place] = (lost + (inTie * (at - answered)) / size) / at;
    }
    answered += size;
    lost += inTie;
  }
  return { aurc: riskSum / n, augrc: (lossSum - lost / 2) / (n * n), risks };
}

const HARMONIC: number[] = [0];

/** 1 + 1/2 + … + 1/n; kept, because every resample asks for the same ones. */
function harmonic(n: number): number {
  for (let i = HARMONIC.length; i <= n; i++) HARMONIC.push(HARMONIC[i - 1]! + 1 / i);
  return HARMONIC[n]!;
}
