import type { Job, Scorers } from '../../scorers/index.ts';

/** What a pool was asked and answered, by job and by the text or pair. */
export type Recorded = Record<Job, Map<string, unknown>>;

/** The pool, and everything that goes through it from now on. Closing is left to the owner of the pool. */
export function recording(pool: Scorers): {
  scorers: Scorers;
  recorded: Recorded;
  /** Pairs of a query and a passage that were scored so far, those of the first stages included. */
  pairs: () => number;
} {
  let pairs = 0;
  const recorded: Recorded = { embed: new Map(), rerank: new Map(), read: new Map(), nli: new Map() };
  const kept =
    <Item, Result, Options>(
      job: Job,
      score: (items: readonly Item[], options?: Options) => Promise<Result[]>,
    ) =>
    async (items: readonly Item[], options?: Options): Promise<Result[]> => {
      const results = await score(items, options);
      if (job !== 'embed') pairs += items.length;
      for (const [place, item] of items.entries()) recorded[job].set(JSON.stringify(item), results[place]);
      return results;
    };
  return {
    recorded,
    pairs: () => pairs,
    scorers: {
      ...pool,
      embed: kept('embed', pool.embed),
      early: async (items, options) => {
        const results = await pool.early(items, options);
        pairs += items.length;
        return results;
      },
      rerank: kept('rerank', pool.rerank),
      read: kept('read', pool.read),
      nli: kept('nli', pool.nli),
      close: async () => {},
    },
  };
}
