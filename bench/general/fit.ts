/** The general rule, fitted on questions of several sets. Pure. */

import { grouped } from '../../calibration/index.ts';
import { costOf } from '../../router/index.ts';
import type { Item } from './judged.ts';
import { type FitOptions, fitProbability } from './probability.ts';
import { type General, general, utilityOf } from './rules.ts';

export interface GeneralOptions {
  /** What is looked at for a span, and for a passage. */
  span: readonly string[];
  passage: readonly string[];
  ridge: number;
  shrink: number;
}

/** Least probabilities of a span that are tried, from low to high. */
const FLOORS = [0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1];
/** Where the floor is chosen: a wrong answer costs what a right one is worth. */
const EVEN = 0.5;

/**
 * P(right) of spans and of passages on what no layer closes, and the lowest floor that makes the most of both by the mean
 * utility over sets. Throws INTERNAL when a regression does not converge.
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
  const worths = FLOORS.map((floor) => meanUtility(items, general({ ...fitted, floor }, EVEN), costOf(EVEN)));
  const most = Math.max(...worths);
  return { ...fitted, floor: FLOORS[worths.indexOf(most)]! };
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
