/** Every contender on sets that it has not seen, and what tells right from wrong where. Pure. */
import { auroc, grouped, type Interval, pairedDifference } from '../../calibration/index.ts';
import type { Item } from './judged.ts';
import { type Rule, type Showing, utilityOf } from './rules.ts';

/** A rule from the questions of other sets; one that nothing is fitted for ignores them. */
export type Contender = (others: readonly Item[]) => Rule;

/** What a contender shows of each item, in their order: of each by the rule that was made without the item's set. */
export function leftOut(items: readonly Item[], contender: Contender): Showing[] {
  const rules = new Map(
    [...new Set(items.map(({ set }) => set))].map((set) => [
      set,
      contender(items.filter((item) => item.set !== set)),
    ]),
  );
  return items.map((item) => rules.get(item.set)!(item));
}

/** Shares in [0, 1], null where there is nothing that they would be of. */
export interface Figures {
  n: number;
  answerable: number;
  /** Of all questions, answered. */
  coverage: number | null;
  /** Of the answered, wrong. */
  risk: number | null;
  /** Of the answerable, answered right. */
  useful: number | null;
  /** Of those that nothing answers, answered. */
  falseAnswers: number | null;
  /** Right ones less wrong ones at a cost of 1, a question. */
  utility: number | null;
}

export function figuresOf(items: readonly Item[], shown: readonly Showing[]): Figures {
  const answered = items.filter((_, i) => shown[i] !== null).length;
  const right = items.filter(({ right }, i) => shown[i] != null && right[shown[i]] === true).length;
  const answerable = items.filter((item) => item.answerable).length;
  const vain = items.filter((item, i) => !item.answerable && shown[i] !== null).length;
  return {
    n: items.length,
    answerable,
    coverage: share(answered, items.length),
    risk: share(answered - right, answered),
    useful: share(right, answerable),
    falseAnswers: share(vain, items.length - answerable),
    utility: share(right - (answered - right), items.length),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Means over sets, each counting alike: what is to be expected of a set of another kind. */
export function meanOverSets(figures: readonly Figures[]): Figures {
  const mean = (of: (each: Figures) => number | null) => {
    const known = figures.flatMap((each) => of(each) ?? []);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const sum = (of: (each: Figures) => number) => figures.reduce((total, each) => total + of(each), 0);
  return {
    n: sum(({ n }) => n),
    answerable: sum(({ answerable }) => answerable),
    coverage: mean(({ coverage }) => coverage),
    risk: mean(({ risk }) => risk),
    useful: mean(({ useful }) => useful),
    falseAnswers: mean(({ falseAnswers }) => falseAnswers),
    utility: mean(({ utility }) => utility),
  };
}

/** Mean difference of utility, question by question; intervals over groups of questions, and over whole sets. */
export interface Difference {
  mean: number | null;
  byGroup: Interval | null;
  bySet: Interval | null;
}

export function differenceOf(
  items: readonly Item[],
  a: readonly Showing[],
  b: readonly Showing[],
  cost: number,
): Difference {
  const pairs = items.map((item, i) => ({
    group: JSON.stringify([item.set, item.group]),
    set: item.set,
    a: utilityOf(item, a[i]!, cost),
    b: utilityOf(item, b[i]!, cost),
  }));
  const { mean, interval } = pairedDifference(pairs);
  const sets = pairs.map((pair) => ({ ...pair, group: pair.set }));
  return { mean, byGroup: interval, bySet: pairedDifference(sets).interval };
}

/** How well a number tells what is right: in each set, and the mean over sets. `of`: null where it was not measured. */
export function tells(
  items: readonly Item[],
  of: (item: Item) => number | null,
  positive: (item: Item) => boolean,
): { bySet: Map<string, number | null>; mean: number | null; pooled: number | null } {
  const over = (own: readonly Item[]) =>
    auroc(own.map((item) => ({ score: of(item) ?? Number.NEGATIVE_INFINITY, positive: positive(item) })));
  const bySet = new Map(grouped(items, ({ set }) => set).map((own) => [own[0]!.set, over(own)]));
  const known = [...bySet.values()].flatMap((value) => value ?? []);
  return {
    bySet,
    mean: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length,
    pooled: over(items),
  };
}

/** What one layer or gate costs and saves: what would be shown without it, by a rule that heeds no other. */
export interface Closing {
  name: string;
  set: string;
  /** Questions that it closes. */
  closes: number;
  /** Of these the best passage is right, whether or not the rule would show it. */
  held: number;
  /** Right answers that it keeps back, and wrong ones. */
  right: number;
  wrong: number;
}

export function closings(items: readonly Item[], rule: Rule): Closing[] {
  const closed = items.filter((item) => item.closed !== null);
  return grouped(closed, ({ set, closed }) => JSON.stringify([closed, set])).map((own) => {
    const showings = own.map((item) => ({ item, showing: rule({ ...item, closed: null, reason: null }) }));
    const shown = showings.filter(({ showing }) => showing !== null);
    const right = shown.filter(({ item, showing }) => item.right[showing!] === true).length;
    return {
      name: own[0]!.closed!,
      set: own[0]!.set,
      closes: own.length,
      held: own.filter((item) => item.right.passage === true).length,
      right,
      wrong: shown.length - right,
    };
  });
}
