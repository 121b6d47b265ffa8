/** From what was measured to everything that is printed of it. Pure. */

import { grouped } from '../../calibration/index.ts';
import { CAUTIOUS, costOf } from '../../router/index.ts';
import { BEFORE, contendersAt, fitShipped, PLAIN, SHIPPED } from './contenders.ts';
import {
  type Closing,
  closings,
  type Difference,
  differenceOf,
  type Figures,
  figuresOf,
  leftOut,
  meanOverSets,
  tells,
} from './evaluate.ts';
import type { Item } from './judged.ts';
import { type Order, orderOf } from './order.ts';
import { logitOf } from './probability.ts';
import { type General, type Showing, unfitted } from './rules.ts';

const EVEN = 0.5;
const STEPS = 20;

export interface Report {
  /** Of each set: questions, and how often what could be shown is right where there is an answer. */
  sets: { name: string; n: number; answerable: number; span: number; passage: number; first: number }[];
  /** Means over sets, and the difference in utility to the two rules to beat. */
  contenders: { name: string; figures: Figures; lessPlain: Difference; lessBefore: Difference }[];
  /** Of what is shipped, at its usual caution, and the two rules to beat; by act too. */
  bySet: { set: string; figures: Record<string, Figures> }[];
  byAct: { act: string; figures: Record<string, Figures> }[];
  /** Of what is shipped, by how cautious it is. */
  curve: { cautious: number; figures: Figures }[];
  /** How well numbers tell a right passage, a right span, and that there is an answer. */
  tells: {
    what: string;
    scores: {
      name: string;
      bySet: Record<string, number | null>;
      mean: number | null;
      pooled: number | null;
    }[];
  }[];
  /** What layers, and gates about the query, keep back of what U, else relevance, would show. */
  closings: Closing[];
  /** The gate about the span: spans that it closes, and how many of those are right. */
  spanGate: { set: string; closes: number; right: number }[];
  /** What fusion weighs in the order of passages. */
  order: Order;
  /** On all sets. */
  fit: General;
}

/** Throws INTERNAL when a regression does not converge. */
export function reportOn(items: readonly Item[]): Report {
  const sets = grouped(items, ({ set }) => set);
  const contenders = contendersAt(EVEN);
  const shown = new Map(Object.entries(contenders).map(([name, rule]) => [name, leftOut(items, rule)]));
  const over = (own: readonly Item[], showings: readonly Showing[]) => {
    const of = new Map(items.map((item, i) => [item, showings[i]!]));
    return figuresOf(
      own,
      own.map((item) => of.get(item)!),
    );
  };
  const means = (showings: readonly Showing[]) => meanOverSets(sets.map((own) => over(own, showings)));
  const less = (name: string, other: string) =>
    differenceOf(items, shown.get(name)!, shown.get(other)!, costOf(EVEN));
  const usual = new Map(shown).set(SHIPPED, leftOut(items, contendersAt(CAUTIOUS)[SHIPPED]!));
  const beside = (own: readonly Item[]) =>
    Object.fromEntries([SHIPPED, PLAIN, BEFORE].map((name) => [name, over(own, usual.get(name)!)]));
  return {
    sets: sets.map((own) => setOf(own)),
    contenders: [...shown].map(([name, showings]) => ({
      name,
      figures: means(showings),
      lessPlain: less(name, PLAIN),
      lessBefore: less(name, BEFORE),
    })),
    bySet: sets.map((own) => ({ set: own[0]!.set, figures: beside(own) })),
    byAct: grouped(items, ({ act }) => act).map((own) => ({ act: own[0]!.act, figures: beside(own) })),
    curve: Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS).map((cautious) => ({
      cautious,
      figures: means(leftOut(items, contendersAt(cautious)[SHIPPED]!)),
    })),
    tells: tellsOf(items),
    closings: closings(items, unfitted),
    spanGate: sets.map((own) => {
      const closed = own.filter((item) => item.closed === null && !item.spanOpen && item.right.span !== null);
      return {
        set: own[0]!.set,
        closes: closed.length,
        right: closed.filter(({ right }) => right.span).length,
      };
    }),
    order: orderOf(items),
    fit: fitShipped(items),
  };
}

function setOf(own: readonly Item[]): Report['sets'][number] {
  const answerable = own.filter((item) => item.answerable);
  const right = (kind: keyof Item['right']) =>
    answerable.filter((item) => item.right[kind] === true).length / Math.max(1, answerable.length);
  return {
    name: own[0]!.set,
    n: own.length,
    answerable: answerable.length,
    span: right('span'),
    passage: right('passage'),
    first: right('first'),
  };
}

/** Each so that more of it speaks for the answer. */
const NUMBERS: Record<string, (values: Item['values']) => number | null> = {
  relevance: ({ bestRelevance }) => bestRelevance ?? null,
  'less U': ({ U }) => turned(U),
  E: ({ E }) => E ?? null,
  'less C': ({ C }) => turned(C),
  'less D': ({ D }) => turned(D),
  margin: ({ margin }) => margin ?? null,
  'lead over the next passage': ({ gap }) => gap ?? null,
  'lead over the next answer': ({ lead }) => lead ?? null,
  fused: ({ fused }) => fused ?? null,
  'known terms': ({ knownTerms }) => knownTerms ?? null,
};

function turned(value: number | null | undefined): number | null {
  return value == null ? null : 1 - value;
}

const WHAT: Record<string, (item: Item) => boolean> = {
  'the passage is right': ({ right }) => right.passage === true,
  'the span is right': ({ right }) => right.span === true,
  'there is an answer': ({ answerable }) => answerable,
};

/** Over what was read. The fitted ones are of the set left out. */
function tellsOf(items: readonly Item[]): Report['tells'] {
  const read = items.filter(({ right }) => right.passage !== null);
  const fits = new Map(
    [...new Set(read.map(({ set }) => set))].map((set) => [
      set,
      fitShipped(items.filter((item) => item.set !== set)),
    ]),
  );
  const numbers = {
    ...Object.fromEntries(
      Object.entries(NUMBERS).map(([name, of]) => [name, ({ values }: Item) => of(values)]),
    ),
    'fitted, of passages': ({ set, values, act }: Item) => logitOf(fits.get(set)!.passage, values, act),
  };
  return Object.entries(WHAT).map(([what, positive]) => ({
    what,
    scores: Object.entries(numbers).map(([name, of]) => {
      const { bySet, ...rest } = tells(read, of, positive);
      return { name, bySet: Object.fromEntries(bySet), ...rest };
    }),
  }));
}
