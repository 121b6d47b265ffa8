/**
 * Retrieval metrics of one query over a ranking of document ids, best first, each id at most once. All return a
 * number in [0, 1], or null where the query has no relevant document: such a query cannot be scored, and what
 * that does to a mean is decided where means are taken (`summarise`), not here.
 */

/** Relevant documents with their gain > 0 (higher is better); binary metrics only ask whether an id is there. */
export type Gains = ReadonlyMap<string, number>;

/** 1 when at least one relevant document is among the first `k`. With one relevant document this is recall@k. */
export function anyAt(ranking: readonly string[], gains: Gains, k: number): number | null {
  if (gains.size === 0) return null;
  return head(ranking, k).some((id) => gains.has(id)) ? 1 : 0;
}

/** 1 when every relevant document is among the first `k` (`both@k` for two). */
export function allAt(ranking: readonly string[], gains: Gains, k: number): number | null {
  if (gains.size === 0) return null;
  return head(ranking, k).filter((id) => gains.has(id)).length === gains.size ? 1 : 0;
}

/** One over the rank of the first relevant document, 0 when it is not among the first `k`. */
export function reciprocalRankAt(ranking: readonly string[], gains: Gains, k: number): number | null {
  if (gains.size === 0) return null;
  const place = head(ranking, k).findIndex((id) => gains.has(id));
  return place < 0 ? 0 : 1 / (place + 1);
}

/**
 * Normalised discounted cumulative gain: sum of gain / log2(rank + 1) over the first `k`, divided by the same sum
 * for the best ranking possible (Järvelin and Kekäläinen 2002, linear gains).
 */
export function ndcgAt(ranking: readonly string[], gains: Gains, k: number): number | null {
  if (gains.size === 0) return null;
  const ideal = discounted([...gains.values()].sort((a, b) => b - a).slice(0, k));
  return discounted(head(ranking, k).map((id) => gains.get(id) ?? 0)) / ideal;
}

function head(ranking: readonly string[], k: number): readonly string[] {
  if (!Number.isInteger(k) || k < 1)
    throw new RangeError(`rank cut-off must be a positive integer, not ${k}`);
  return ranking.slice(0, k);
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}
