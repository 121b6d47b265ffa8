/** Figures of one contender on the test split, alone and less another's. Pure. */
import {
  type BootstrapOptions,
  bootstrapFigures,
  clopperPearson,
  contrastOfAreas,
  type Interval,
  selectiveFigures,
} from '../../calibration/index.ts';
import { CERTIFIED_UNITS } from '../parity/certificate.ts';
import type { Item, Spent } from './items.ts';

export interface Estimate {
  value: number | null;
  interval: Interval | null;
}

/** Means over the questions that are answered, and over all; of `ms` over those of them that were timed. */
export interface Costs {
  spent: Spent | null;
  ms: number | null;
  timed: number;
}

/** `all`: over all questions, one that is not answered counting 0. */
export const TALLIES = ['EM of answered', 'EM of all', 'F1 of answered', 'F1 of all', 'unsupported'] as const;
export type Tally = (typeof TALLIES)[number];

/** Of the order in which questions are answered, whatever the threshold; EM and F1 of the least uncertain share. */
export type Orders = Record<'AURC' | 'EM' | 'F1', Estimate>;

export interface Judged {
  n: number;
  /** Questions without a gold answer, or that failed. */
  unscored: number;
  answered: number;
  /** Clopper-Pearson. */
  coverage: Estimate;
  tallies: Record<Tally, Estimate>;
  /** Null where no question has a gold answer. */
  orders: Orders | null;
  costs: { answered: Costs; all: Costs };
}

/** First less second, on the same questions. */
export type Less = Record<'coverage' | Tally | keyof Orders, Estimate>;

/** `given`: whether its threshold answers it. `U` is the place in the order, which may be another number than the threshold's. */
export interface Played extends Item {
  given: boolean;
}

export function judge(items: readonly Played[], level: number, bootstrap: BootstrapOptions = {}): Judged {
  const answered = items.filter(({ given }) => given);
  const { groups, figures } = talliesUnder(items);
  const values = figures(new Int32Array(groups).fill(1));
  const intervals = bootstrapFigures(groups, figures, bootstrap);
  const n = items.length;
  return {
    n,
    unscored: items.filter(({ em }) => em === null).length,
    answered: answered.length,
    coverage: {
      value: n === 0 ? null : answered.length / n,
      interval: n === 0 ? null : clopperPearson(answered.length, n),
    },
    tallies: named(TALLIES, (place) => ({
      value: values[place + 1] ?? null,
      interval: intervals?.[place + 1] ?? null,
    })),
    orders: ordersOf(items, level, bootstrap),
    costs: { answered: costsOf(answered), all: costsOf(items) },
  };
}

/** Both of the same questions in the same order. */
export function less(
  a: readonly Played[],
  b: readonly Played[],
  level: number,
  bootstrap: BootstrapOptions = {},
): Less {
  const [ours, theirs] = [talliesUnder(a), talliesUnder(b)];
  const differences = (counts: Int32Array) => {
    const other = theirs.figures(counts);
    return ours.figures(counts).map((value, place) => minus(value, other[place] ?? null));
  };
  const values = differences(new Int32Array(ours.groups).fill(1));
  const intervals = bootstrapFigures(ours.groups, differences, bootstrap);
  const tally = (place: number): Estimate => ({
    value: values[place] ?? null,
    interval: intervals?.[place] ?? null,
  });
  const areas = (loss: 'em' | 'f1') => {
    const items = a.flatMap((item, place) => {
      const [own, other] = [item, b[place]!].map(({ U, [loss]: gain }) =>
        gain === null ? null : { uncertainty: U, loss: 1 - gain },
      );
      return own == null || other == null ? [] : [{ group: item.group, a: own, b: other }];
    });
    return contrastOfAreas(items, level, { resamples: 1_000, ...bootstrap });
  };
  const [em, f1] = [areas('em'), areas('f1')];
  return {
    coverage: tally(0),
    ...named(TALLIES, (place) => tally(place + 1)),
    AURC: { value: em.AURC.difference, interval: em.AURC.interval },
    EM: flipped(em.risk),
    F1: flipped(f1.risk),
  };
}

function flipped({
  difference,
  interval,
}: {
  difference: number | null;
  interval: Interval | null;
}): Estimate {
  return {
    value: difference === null ? null : 0 - difference,
    interval: interval === null ? null : { low: 0 - interval.high, high: 0 - interval.low },
  };
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

function named<K extends string>(names: readonly K[], of: (place: number) => Estimate): Record<K, Estimate> {
  return Object.fromEntries(names.map((name, place) => [name, of(place)])) as Record<K, Estimate>;
}

/** Coverage, then the tallies, as a function of how often each group was drawn. */
function talliesUnder(items: readonly Played[]): {
  groups: number;
  figures: (counts: Int32Array) => (number | null)[];
} {
  const groups = [...new Set(items.map(({ group }) => group))];
  const placeOf = new Map(groups.map((group, place) => [group, place]));
  const sums = groups.map(() => ({ n: 0, scored: 0, given: 0, right: 0, em: 0, f1: 0, claims: 0, bare: 0 }));
  for (const item of items) {
    const sum = sums[placeOf.get(item.group)!]!;
    sum.n += 1;
    if (item.em !== null) sum.scored += 1;
    if (!item.given) continue;
    sum.given += 1;
    if (item.em !== null) {
      sum.right += 1;
      sum.em += item.em;
      sum.f1 += item.f1 ?? 0;
    }
    if (item.unsupported !== null) {
      sum.claims += 1;
      sum.bare += item.unsupported;
    }
  }
  return {
    groups: groups.length,
    figures: (counts) => {
      const total = (of: (sum: (typeof sums)[number]) => number) =>
        sums.reduce((all, sum, place) => all + counts[place]! * of(sum), 0);
      const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
      const [scored, labelled, claims] = [
        total((sum) => sum.scored),
        total((sum) => sum.right),
        total((sum) => sum.claims),
      ];
      const [em, f1] = [total((sum) => sum.em), total((sum) => sum.f1)];
      return [
        share(
          total((sum) => sum.given),
          total((sum) => sum.n),
        ),
        share(em, labelled),
        share(em, scored),
        share(f1, labelled),
        share(f1, scored),
        share(
          total((sum) => sum.bare),
          claims,
        ),
      ];
    },
  };
}

function ordersOf(items: readonly Item[], level: number, bootstrap: BootstrapOptions): Orders | null {
  const figures = (loss: 'em' | 'f1') =>
    selectiveFigures(
      items.flatMap(({ group, U, [loss]: gain }) =>
        gain === null ? [] : [{ group, uncertainty: U, loss: 1 - gain }],
      ),
      [level],
      bootstrap,
    );
  const [em, f1] = [figures('em'), figures('f1')];
  if (em === null || f1 === null) return null;
  const kept = ({ values, intervals }: typeof em): Estimate => {
    const risk = intervals.risks[0]!;
    return {
      value: 1 - values.risks[0]!,
      interval: risk === null ? null : { low: 1 - risk.high, high: 1 - risk.low },
    };
  };
  return {
    AURC: { value: em.values.aurc, interval: em.intervals.aurc },
    EM: kept(em),
    F1: kept(f1),
  };
}

function costsOf(items: readonly Item[]): Costs {
  const paid = items.flatMap(({ spent }) => spent ?? []);
  const timed = items.flatMap(({ ms }) => ms ?? []);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    spent:
      paid.length === 0
        ? null
        : (Object.fromEntries(
            CERTIFIED_UNITS.map((unit) => [unit, mean(paid.map((each) => each[unit]))]),
          ) as Spent),
    ms: timed.length === 0 ? null : mean(timed),
    timed: timed.length,
  };
}
