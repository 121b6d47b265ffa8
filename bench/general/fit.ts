/** The general rule, fitted on questions of several sets. Pure. */
import { grouped } from '../../calibration/index.ts';
import type { Item } from './judged.ts';
import { type FitOptions, fitProbability } from './probability.ts';
import { costOf, type General, general, utilityOf } from './rules.ts';

export interface GeneralOptions {
  /** What is looked at for a span, and for a passage. */
  span: readonly string[];
  passage: readonly string[];
  ridge: number;
  shrink: number;
}

/** Least probabilities of a span that are tried. */
const FLOORS = [0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1];
/** Where the floor is chosen: a wrong answer costs what a right one is worth. */
const EVEN = 0.5;

/**
 * P(right) of spans and of passages on what no layer closes, and the floor that makes the most of both by the mean utility
 * over sets. Throws INTERNAL when a regression does not converge.
 */
export function fitGeneral(items: readonly Item[], { span, passage, ...rest }: GeneralOptions): General {
  const open = items.filter(({ closed }) => closed === null);
  const fitted = {
    span: fitOn(
      open.filter(({ spanOpen }) => spanOpen),
      'span',
      { ...rest, features: span },
    ),
    passage: fitOn(open, 'passage', { ...rest, features: passage }),
  };
  let best: { floor: number; worth: number } | null = null;
  for (const floor of FLOORS) {
    const rule = general({ ...fitted, floor }, EVEN);
    const worth = meanUtility(items, rule, costOf(EVEN));
    if (best === null || worth > best.worth) best = { floor, worth };
  }
  return { ...fitted, floor: best!.floor };
}

function fitOn(items: readonly Item[], kind: 'span' | 'passage', options: FitOptions) {
  const cases = items.flatMap(({ values, act, right }) =>
    right[kind] === null ? [] : [{ values, act, right: right[kind] }],
  );
  return fitProbability(cases, options);
}

/** Mean over sets of the mean over their questions: no set counts for more because it has more questions. */
export function meanUtility(
  items: readonly Item[],
  rule: (item: Item) => keyof Item['right'] | null,
  cost: number,
): number {
  const sets = grouped(items, ({ set }) => set).map(
    (own) => own.reduce((sum, item) => sum + utilityOf(item, rule(item), cost), 0) / own.length,
  );
  return sets.reduce((sum, each) => sum + each, 0) / sets.length;
}
