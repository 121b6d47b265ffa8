import { PragauraError } from '../../common/index.ts';
import { memoryIndex, passageOf } from './memory-index.ts';
import { PlainBm25 } from './plain-bm25.ts';

/** Ordinals of the texts found, best first. */
export type Search = (query: string, k: number) => number[] | Promise<number[]>;

interface Engine {
  /** For the table. */
  label: string;
  /** A slow engine is asked fewer queries. */
  slow: boolean;
  build(texts: readonly string[]): Promise<Search>;
}

export const ENGINES = {
  plain: {
    label: 'plain BM25 (Map of arrays)',
    slow: false,
    async build(texts) {
      const bm25 = new PlainBm25();
      for (const text of texts) bm25.add(text);
      return (query, k) => bm25.search(query, k);
    },
  },
  product: {
    label: "ours, through Orama's search",
    slow: false,
    async build(texts) {
      const [{ buildPostings, embeddedBackend }, { openRetrieval }, { Ledger }] = await Promise.all([
        import('../../corpus/index.ts'),
        import('../../router/retrieval/index.ts'),
        import('../../router/budget/index.ts'),
      ]);
      const passages = texts.map(passageOf);
      const index = memoryIndex(passages, buildPostings(passages));
      const retrieval = openRetrieval(embeddedBackend(index));
      const vector = Float32Array.of(1);
      return async (query, k) => {
        const budget = { docsScored: k, rerankPairs: 0, nliPairs: 0, contextTokens: 0, ms: null };
        const lease = new Ledger(budget).lease('lexical', { docsScored: k });
        return (await retrieval.find('lexical', { query, vector, lease })).map((hit) => hit.ordinal);
      };
    },
  },
  postings: {
    label: 'ours, bare postings',
    slow: false,
    async build(texts) {
      const { analyse, buildPostings, loadPostings } = await import('../../corpus/index.ts');
      const passages = texts.map(passageOf);
      const { text } = loadPostings(memoryIndex(passages, buildPostings(passages)), passages).fields;
      return (query, k) => {
        const terms = [...new Set(analyse(query))].map((term) => ({ term, weight: 1 }));
        return text.search(text.weigh(terms), k).map((hit) => hit.ordinal);
      };
    },
  },
  minisearch: {
    label: 'MiniSearch 7.2',
    slow: true,
    async build(texts) {
      const { default: MiniSearch } = await import('minisearch');
      const engine = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
      engine.addAll(texts.map((text, id) => ({ id, text })));
      return (query, k) =>
        engine
          .search(query)
          .slice(0, k)
          .map((hit) => hit.id as number);
    },
  },
  orama: {
    label: 'Orama 3.1 as it comes',
    slow: true,
    async build(texts) {
      const { create, insertMultiple, search } = await import('@orama/orama');
      const engine = create({ schema: { text: 'string' } as const });
      await insertMultiple(
        engine,
        texts.map((text, place) => ({ id: String(place), text })),
      );
      return async (query, k) =>
        (await search(engine, { term: query, limit: k })).hits.map((hit) => Number(hit.id));
    },
  },
} satisfies Record<string, Engine>;
export type EngineName = keyof typeof ENGINES;

/** Throws USAGE for a name that is no engine. */
export function engineNamed(name: string): EngineName {
  const found = (Object.keys(ENGINES) as EngineName[]).find((known) => known === name);
  if (found === undefined) throw new PragauraError('USAGE', `"${name}" is no engine.`);
  return found;
}
