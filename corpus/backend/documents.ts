import { create, insertMultiple, search } from '@orama/orama';
import { index as oramaIndex } from '@orama/orama/components';
import type { CorpusIndex } from '../types.ts';
import type { Hit } from './backend.ts';
import type { Filters } from './filters.ts';

const SCHEMA = { text: 'string', docId: 'enum', source: 'enum', genre: 'enum' } as const;

/** Orama's `where` clause; filters that are not given do not restrict, an empty list lets nothing through. */
type Where = Partial<Record<'docId' | 'source' | 'genre', { in: string[] }>>;

function whereOf(filters: Filters | undefined): Where | undefined {
  const where: Where = {};
  if (filters?.docId !== undefined) where.docId = { in: filters.docId };
  if (filters?.source !== undefined) where.source = { in: filters.source };
  if (filters?.genre !== undefined) where.genre = { in: filters.genre };
  return Object.keys(where).length === 0 ? undefined : where;
}

/** Ranks passages: at most `k`, best first, only ordinals that `accept` lets through. */
type Rank = (k: number, accept?: (ordinal: number) => boolean) => Hit[];

/** The passages as documents of an Orama database, ranked by a function of ours instead of its own index. */
export interface Documents {
  /** Orama's `search` under `where` filters. */
  search(rank: Rank, filters: Filters | undefined, limit: number): Hit[];
  /** Tells which ordinals the filters let through; undefined when all. */
  accept(filters: Filters | undefined): ((ordinal: number) => boolean) | undefined;
}

/**
 * Orama's schema, documents and filters with a ranking of ours in place of its scoring. A document is a light record whose id
 * is the ordinal; Orama's internal ids count from one in the order of insertion, hence internal id = ordinal + 1.
 */
export function openDocuments({ passages }: Pick<CorpusIndex, 'passages'>): Documents {
  /** Orama hands its index component neither limit nor terms; searches are synchronous, so these belong to the open call. */
  let asked: { rank: Rank; limit: number } | undefined;
  const base = oramaIndex.createIndex();
  const component: typeof base = {
    ...base,
    insert(implementation, store, prop, id, internalId, value, type, language, tokenizer, count, options) {
      if (type === 'string') return;
      base.insert(
        implementation,
        store,
        prop,
        id,
        internalId,
        value,
        type,
        language,
        tokenizer,
        count,
        options,
      );
    },
    search(
      _store,
      _term,
      _tokenizer,
      _language,
      _properties,
      _exact,
      _tolerance,
      _boost,
      _relevance,
      _count,
      allowed,
    ) {
      const accept = allowed === undefined ? undefined : (ordinal: number) => allowed.has(ordinal + 1);
      return asked!.rank(asked!.limit, accept).map(({ ordinal, score }) => [ordinal + 1, score]);
    },
  };
  const database = create({
    schema: SCHEMA,
    sort: { enabled: false },
    components: { index: component },
  });
  insertMultiple(
    database,
    passages.map(({ docId, source, genre }, ordinal) => ({ id: String(ordinal), docId, source, genre })),
    Math.max(1, passages.length),
  );
  return {
    search(rank, filters, k) {
      asked = { rank, limit: k };
      const where = whereOf(filters);
      const found = search(database, {
        term: '',
        properties: ['text'],
        limit: k,
        ...(where === undefined ? {} : { where }),
      });
      if (found instanceof Promise) throw new TypeError('Orama searches synchronously when it has no hooks');
      return found.hits.map(({ id, score }) => ({ ordinal: Number(id), score }));
    },
    accept(filters) {
      const where = whereOf(filters);
      if (where === undefined) return undefined;
      const allowed = database.index.searchByWhereClause(
        database.data.index,
        database.tokenizer,
        where,
        undefined,
      );
      return (ordinal) => allowed.has(ordinal + 1);
    },
  };
}
