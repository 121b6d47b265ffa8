/** Scores that several policies ask of one question are computed once. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryPassage, Scorers } from '../../scorers/index.ts';

const JOBS = ['embed', 'rerank', 'read', 'nli'] as const;
type ScoredJob = (typeof JOBS)[number];

/** By job: texts or pairs that policies asked for, and those that went to a model. */
export type Counts = Record<ScoredJob, { asked: number; computed: number }>;

type Remembered = Record<ScoredJob, Map<string, unknown>>;

/**
 * A pool that remembers, for as long as one question is at hand, what it scored. Ledgers know nothing of it: every
 * policy pays for all of its pairs. A remembered score is the score itself, not a copy: models whose sequences run
 * alone (`batching: "single"`) give the same bytes whoever asks.
 * Outside `question` nothing is remembered. Closing is left to the owner of the pool.
 */
export class Memo {
  readonly counts: Counts = {
    embed: { asked: 0, computed: 0 },
    rerank: { asked: 0, computed: 0 },
    read: { asked: 0, computed: 0 },
    nli: { asked: 0, computed: 0 },
  };
  readonly scorers: Scorers;
  readonly #current = new AsyncLocalStorage<Remembered>();

  constructor(pool: Scorers) {
    this.scorers = {
      info: pool.info,
      early: (pairs, options) => pool.early(pairs, options),
      embed: this.#remembering('embed', pool.embed, (text) => text),
      rerank: this.#remembering('rerank', pool.rerank, keyOfPair),
      read: this.#remembering('read', pool.read, keyOfPair),
      nli: this.#remembering('nli', pool.nli, (pair) => keyOf(pair.premise, pair.hypothesis)),
      countTokens: (text) => pool.countTokens(text),
      close: async () => {},
    };
  }

  /** Runs `work`; whatever it asks for, however deep, is remembered until it ends. Questions may overlap. */
  question<T>(work: () => Promise<T>): Promise<T> {
    const fresh: Remembered = { embed: new Map(), rerank: new Map(), read: new Map(), nli: new Map() };
    return this.#current.run(fresh, work);
  }

  /**
   * The models are called in the tick of the call, so that a pool that serves several jobs in one pass still can.
   * What fails is not remembered.
   */
  #remembering<Item, Score, Options>(
    job: ScoredJob,
    score: (items: readonly Item[], options?: Options) => Promise<Score[]>,
    key: (item: Item) => string,
  ): (items: readonly Item[], options?: Options) => Promise<Score[]> {
    return async (items, options) => {
      const known = (this.#current.getStore()?.[job] ?? new Map()) as Map<string, Score>;
      const missing = new Map<string, Item>();
      for (const item of items) if (!known.has(key(item))) missing.set(key(item), item);
      this.counts[job].asked += items.length;
      this.counts[job].computed += missing.size;
      const scores = await score([...missing.values()], options);
      for (const [place, name] of [...missing.keys()].entries()) known.set(name, scores[place]!);
      return items.map((item) => known.get(key(item))!);
    };
  }
}

/** No two pairs share a key, whatever is in the texts. */
function keyOf(first: string, second: string): string {
  return `${first.length}:${first}${second}`;
}

function keyOfPair({ query, passage, title = '', heading = '' }: QueryPassage): string {
  return keyOf(heading, keyOf(title, keyOf(query, passage)));
}
