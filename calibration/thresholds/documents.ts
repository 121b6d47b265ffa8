import { ascending, countUpTo } from './conformal.ts';
import type { Scored } from './types.ts';

/**
 * The examples of each document (their `group`; without one an example is a document of its own), documents in the
 * order of their first example.
 */
export function documentsOf(items: readonly Scored[]): Scored[][] {
  const documents = new Map<string | Scored, Scored[]>();
  for (const item of items) {
    const key = item.group ?? item;
    const own = documents.get(key);
    if (own === undefined) documents.set(key, [item]);
    else own.push(item);
  }
  return [...documents.values()];
}

/** What one threshold shows, document by document. */
interface Shares {
  /** Of each document with a labelled answer, the share of these that is wrong, in [0, 1]. */
  wrong: number[];
  /** One answer drawn from each of these documents: how many of them are wrong. */
  drawnWrong: number;
}

/** What labelled examples say of every threshold, document by document. */
export interface AnsweredDocuments {
  /** Documents with an example whose loss is known. */
  n: number;
  /** Documents with a labelled example with open gates. */
  open: number;
  /** No document has two labelled examples with open gates: documents are examples. */
  single: boolean;
  at(tau: number): Shares;
}

export function answeredDocuments(items: readonly Scored[]): AnsweredDocuments {
  const known = items.filter(({ U, wrong }) => U === null || wrong !== null);
  const documents = documentsOf(known.filter(({ U }) => U !== null)).map((own) => {
    const drawn = [...own].sort((a, b) => (a.draw ?? 0) - (b.draw ?? 0));
    return {
      all: ascending(own.map(({ U }) => U!)),
      wrong: ascending(own.filter(({ wrong }) => wrong).map(({ U }) => U!)),
      drawn,
    };
  });
  return {
    n: documentsOf(known).length,
    open: documents.length,
    single: documents.every(({ all }) => all.length === 1),
    at(tau) {
      const shares: Shares = { wrong: [], drawnWrong: 0 };
      for (const { all, wrong, drawn } of documents) {
        const answered = countUpTo(all, tau);
        if (answered === 0) continue;
        shares.wrong.push(countUpTo(wrong, tau) / answered);
        if (drawn.find(({ U }) => U! <= tau)!.wrong) shares.drawnWrong++;
      }
      return shares;
    },
  };
}
