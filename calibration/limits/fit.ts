/** A limit of distance for each collection, from queries of which a few are known to be answered there. */
import { fitMixture, limitOf, type Point } from './mixture.ts';

/** Queries, and of these some that are known to be answered, with which a limit can be fitted. */
export const LEAST_QUERIES = 50;
export const LEAST_ANSWERED = 20;

export interface Distances {
  /** 1 - cosine of the query and the nearest passage of the collection. */
  distance: number;
  /** Whether it is known to be answered from this collection. */
  answered: boolean;
}

export interface FittedLimit {
  collection: string;
  queries: number;
  answered: number;
  /** Rounded up to .001; null where there is too little to fit it. */
  distance: number | null;
  /** Of the queries, how many lie beyond it, and of those known to be answered. */
  beyond: number;
  answeredBeyond: number;
}

/**
 * Two kinds of queries are told apart by their distance (`fitMixture`): those that the collection is asked about, of which
 * the answered ones are some, and others. 98 % of the first lie within the limit, by the normal distribution fitted to them.
 */
export function fitLimit(collection: string, rows: readonly Distances[]): FittedLimit {
  const answered = rows.filter((row) => row.answered);
  const counts = { collection, queries: rows.length, answered: answered.length };
  const points = rows.map((row): Point => ({ value: row.distance, within: row.answered ? true : null }));
  const mixture = answered.length < LEAST_ANSWERED || rows.length < LEAST_QUERIES ? null : fitMixture(points);
  if (mixture === null) return { ...counts, distance: null, beyond: 0, answeredBeyond: 0 };
  const limit = Math.min(2, Math.ceil(limitOf(mixture) * 1000) / 1000);
  const beyond = (of: readonly Distances[]) => of.filter(({ distance }) => distance > limit).length;
  return { ...counts, distance: limit, beyond: beyond(rows), answeredBeyond: beyond(answered) };
}
