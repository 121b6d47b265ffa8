/** A router as a worker sees it. */
import type { Query, Router } from '../../router/index.ts';
import { configurationOf, madeOf } from '../queue/index.ts';
import type { Decider } from './types.ts';

/** What a worker needs of an opened router. `tenant`: whose learned defaults all jobs use; default each its own. */
export function deciderOf(router: Router, tenant?: string): Decider {
  return {
    configuration: configurationOf(router),
    made: madeOf(router),
    route: (query, options) => router.route(query, tenant === undefined ? options : { ...options, tenant }),
    expired: (query) => router.expired(query),
    budgetMs: router.validFor.budget.ms,
  };
}

/** The wall-clock limit that a receipt shows: the caller's or the budget's, whichever is the smaller. */
export function shownMs({ deadlineMs }: Query, budgetMs: number | null): number | null {
  if (deadlineMs === undefined) return budgetMs;
  return Math.min(deadlineMs, budgetMs ?? Number.POSITIVE_INFINITY);
}
