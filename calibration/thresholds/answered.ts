import { PragauraError } from '../../common/index.ts';
import { ascending, countUpTo } from './conformal.ts';
import type { Scored } from './types.ts';

/** What a pool's labelled examples say of every threshold. */
export interface Answered {
  /** Examples whose loss is known: closed gates (no answer, no loss) and open gates with a label. */
  n: number;
  /** Labelled examples with open gates. */
  open: number;
  unlabelled: number;
  /** How many labelled examples have U <= tau, and how many of these are wrong. */
  at(tau: number): { answered: number; wrong: number };
}

/** Counts by binary search after one sort. Throws INTERNAL for a U that is not finite. */
export function answeredBy(items: readonly Scored[]): Answered {
  const labelled = items.filter(({ U, wrong }) => U !== null && wrong !== null);
  const unlabelled = items.filter(({ U, wrong }) => U !== null && wrong === null).length;
  const all = ascending(labelled.map((item) => finite(item.U!)));
  const wrong = ascending(labelled.filter((item) => item.wrong).map((item) => item.U!));
  return {
    n: items.length - unlabelled,
    open: all.length,
    unlabelled,
    at: (tau) => ({ answered: countUpTo(all, tau), wrong: countUpTo(wrong, tau) }),
  };
}

/** The score that conformal ranks take: what can never be answered lies beyond every threshold. */
export function scoreFor({ U }: Scored): number {
  return U === null ? Infinity : finite(U);
}

function finite(U: number): number {
  if (Number.isFinite(U)) return U;
  throw new PragauraError('INTERNAL', `An example's uncertainty is ${U}; what was not scored is null.`);
}
