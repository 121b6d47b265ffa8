import { list } from '../../common/index.ts';
import type { Query } from '../contracts.ts';
import type { Thresholds } from './types.ts';

/**
 * The thresholds for this query. They were calibrated on queries without filters, deadline or history and without a
 * default in them (`defaulted`), and one question at a time (`several`); each changes what is asked, retrieved, read or in
 * time, so that nothing is promised for a query that has one. The bars stay where they are.
 */
export function thresholdsFor(
  query: Query,
  thresholds: Thresholds,
  { defaulted = false, several = false } = {},
): Thresholds {
  const restrictions = [
    ...(query.filters === undefined ? [] : ['filters']),
    ...(query.deadlineMs === undefined ? [] : ['a deadline']),
    ...((query.history ?? []).length === 0 ? [] : ['a history']),
    ...(several ? ['several questions'] : []),
    ...(defaulted ? ['a default put into it'] : []),
  ];
  if (thresholds.status !== 'CALIBRATED' || restrictions.length === 0) return thresholds;
  const sentence =
    `RESTRICTED: this query has ${list(restrictions, 'and')}, and the thresholds were calibrated on queries ` +
    'without: nothing is promised for it.';
  return {
    status: 'RESTRICTED',
    score: thresholds.score,
    limits: thresholds.limits,
    tauFor: (act) => thresholds.tauFor(act),
    ...(thresholds.askUpTo === undefined
      ? {}
      : { askUpTo: (act: Parameters<Thresholds['tauFor']>[0]) => thresholds.askUpTo?.(act) ?? null }),
    sentence: () => sentence,
  };
}
