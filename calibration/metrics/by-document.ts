import { intervalOfMean } from '../thresholds/bets.ts';

/** A mean over documents, each counting alike. */
export interface DocumentMean {
  documents: number;
  /** Null without documents, as the limits are. */
  value: number | null;
  low: number | null;
  high: number | null;
}

/**
 * The share of each document's items that are so, averaged over the documents that have any, with an interval that holds
 * at any number of documents (see `intervalOfMean`).
 */
export function meanByDocument<T>(
  items: readonly T[],
  documentOf: (item: T) => string,
  so: (item: T) => boolean,
  level = 0.95,
): DocumentMean {
  const counts = new Map<string, { all: number; so: number }>();
  for (const item of items) {
    const document = documentOf(item);
    const known = counts.get(document) ?? { all: 0, so: 0 };
    counts.set(document, { all: known.all + 1, so: known.so + (so(item) ? 1 : 0) });
  }
  const shares = [...counts.values()].map((own) => own.so / own.all);
  const interval = intervalOfMean(shares, level);
  return {
    documents: shares.length,
    value: shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}
