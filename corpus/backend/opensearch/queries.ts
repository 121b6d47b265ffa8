/** What an open generation in OpenSearch is asked, and what is made of its answers. */
import { type FieldName, idf, type Lexicon, TopK, type WeightedTerm } from '../../postings/index.ts';
import { explaining, termKeys } from '../../structure/index.ts';
import type { Call, Hit, IndexBackend, IndexedPassage, Search, Seen } from '../backend.ts';
import { checkSignal } from '../cancelled.ts';
import type { Filters } from '../filters.ts';
import { bitsOf, MOST_ENTRIES, ordinalsIn, seenFrom, termShare } from '../scored.ts';
import { checkVector, similarity } from '../similarity.ts';
import type { Engine } from './engine.ts';
import { type Meta, MOST_HITS, MOST_NEAREST, passageId } from './layout.ts';

/** Passages that one request names at most. */
const PASSAGES_AT_A_TIME = 500;
/**
 * The engine keeps lengths in a byte and finds neighbours by a graph: so many more than asked for are fetched and scored
 * exactly here, that what is found differs only where many are as good as the last.
 */
const SPARE = { times: 2, and: 50 } as const;
/** Passages that the graph is walked for at least: far from all of them it misses more. */
const LEAST_WALKED = 500;

export interface Source {
  ordinal: number;
  stored: string;
  floats: string;
  terms: Partial<Record<FieldName, string>>;
  entries?: string[];
  bytes?: string;
}

interface Found {
  timed_out?: boolean;
  _shards?: { successful: number; total: number };
  hits?: { hits: { _source: Source }[] };
  error?: { type?: string; reason?: string };
}

/** What OpenSearch is asked for a search. */
type Clause = Record<string, unknown>;

/** What makes up an `IndexedPassage`. */
const STORED = ['ordinal', 'stored', 'floats'];

/** The port's questions, each one round trip. What is not answered whole throws BACKEND_UNAVAILABLE. */
export class Queries implements Pick<IndexBackend, 'search' | 'look' | 'passages' | 'holding' | 'entriesOf'> {
  readonly #engine: Engine;
  readonly #index: string;
  readonly #meta: Meta;
  readonly #lexicons: Readonly<Record<FieldName, Lexicon>>;

  constructor(engine: Engine, index: string, meta: Meta, lexicons: Readonly<Record<FieldName, Lexicon>>) {
    this.#engine = engine;
    this.#index = index;
    this.#meta = meta;
    this.#lexicons = lexicons;
  }

  get #size(): number {
    return this.#meta.manifest.counts.passages;
  }

  /** All in one request; a search that can find nothing is not sent. */
  async search(searches: readonly Search[], call: Call = {}): Promise<Hit[][]> {
    const asked = searches.map((search) => this.#asked(search));
    const bodies = asked.flatMap((one) => (one === null ? [] : [one.body]));
    const found = await this.#several(bodies, call);
    let next = 0;
    return asked.map((one) => {
      if (one === null) return [];
      const best = new TopK(one.k);
      for (const source of found[next++]!) {
        const score = one.scoreOf(source);
        if (score !== null) best.offer(source.ordinal, score);
      }
      return best.sorted();
    });
  }

  /** How a search is put to the engine, and how what it finds is scored. */
  #asked(search: Search): { body: Clause; k: number; scoreOf: (source: Source) => number | null } | null {
    const k = Math.min(search.k, this.#size);
    const filter = clausesOf(search.filters);
    const size = Math.min(this.#size, SPARE.times * k + SPARE.and);
    if ('vector' in search) {
      const { vector } = search;
      checkVector(this.#meta.manifest.embedder.dimension, vector);
      if (k === 0) return null;
      const walked = Math.min(MOST_NEAREST, this.#size, Math.max(size, LEAST_WALKED));
      const knn = {
        vector: [...vector],
        k: walked,
        ...(filter.length > 0 && { filter: { bool: { filter } } }),
      };
      return {
        body: {
          query: { knn: { vector: knn } },
          size: Math.min(walked, size),
          _source: ['ordinal', 'floats'],
        },
        k,
        scoreOf: ({ floats }) => similarity(vectorIn(floats), vector),
      };
    }
    const { field, terms, kinds = 0 } = search;
    const weighed = this.#lexicons[field].weigh(terms);
    const should = this.#clauses(field, weighed);
    if (k === 0 || should.length === 0) return null;
    const bits = bitsOf(kinds);
    if (bits.length > 0) filter.push({ terms: { kinds: bits } });
    return {
      body: {
        query: { bool: { should, minimum_should_match: 1, ...(filter.length > 0 && { filter }) } },
        sort: [{ _score: 'desc' }, { ordinal: 'asc' }],
        size: Math.min(MOST_HITS, size),
        _source: ['ordinal', `terms.${field}`],
      },
      k,
      scoreOf: (source) => termShare(this.#meta, field, weighed, source.terms?.[field]) || null,
    };
  }

  /** A clause for each term that the field holds; its own idf is divided out, because it counts other passages. */
  #clauses(field: FieldName, weighed: readonly WeightedTerm[]): Clause[] {
    const { holding } = this.#meta.fields[field];
    return weighed.flatMap(({ term, place, weight }) => {
      if (place < 0 || weight === 0) return [];
      const boost = weight / idf(holding, this.#lexicons[field].count(place));
      return [{ term: { [`terms.${field}`]: { value: term, boost } } }];
    });
  }

  async look(
    ordinals: readonly number[],
    asked: Parameters<IndexBackend['look']>[1],
    call: Call = {},
  ): Promise<Seen[]> {
    checkVector(this.#meta.manifest.embedder.dimension, asked.vector);
    const found = (await this.#read(ordinals, ['terms.text'], call)).map((source) => ({
      indexed: indexedFrom(source),
      terms: source.terms?.text,
    }));
    return seenFrom(found, asked, { meta: this.#meta, text: this.#lexicons.text });
  }

  async passages(ordinals: readonly number[], call: Call = {}): Promise<IndexedPassage[]> {
    return (await this.#read(ordinals, [], call)).map(indexedFrom);
  }

  async holding(terms: readonly string[], most: number, call: Call = {}): Promise<IndexedPassage[][]> {
    const bodies = terms.map((term) => ({
      query: { term: { 'terms.text': term } },
      sort: [{ ordinal: 'asc' }],
      size: most,
      _source: STORED,
    }));
    return (await this.#several(bodies, call)).map((found) => found.map(indexedFrom));
  }

  async entriesOf(terms: readonly string[], call: Call = {}): Promise<IndexedPassage[][]> {
    const asked = terms.map((term) => ({ term, keys: termKeys(term) }));
    const bodies = asked
      .filter(({ keys }) => keys.length > 0)
      .map(({ keys }) => ({
        query: { bool: { should: [{ terms: { entries: keys } }, { terms: { headings: keys } }] } },
        sort: [{ ordinal: 'asc' }],
        size: MOST_ENTRIES,
        _source: [...STORED, 'entries'],
      }));
    const found = await this.#several(bodies, call);
    let next = 0;
    return asked.map(({ term, keys }) => {
      if (keys.length === 0) return [];
      const sources = found[next++]!;
      const isEntry = ({ entries = [] }: Source) => keys.some((key) => entries.includes(key));
      const entries = sources.filter(isEntry).map(indexedFrom);
      const headings = sources.filter((source) => !isEntry(source)).map(indexedFrom);
      return explaining(term, { entries, headings }, ({ parts }) => parts);
    });
  }

  /** Passages in the order asked for, those left out that there are none of. One that is missing is a failure. */
  async #read(ordinals: readonly number[], more: readonly string[], call: Call): Promise<Source[]> {
    checkSignal(call.signal);
    const wanted = ordinalsIn(this.#size, ordinals);
    const found: Source[] = [];
    for (let from = 0; from < wanted.length; from += PASSAGES_AT_A_TIME) {
      const ids = wanted.slice(from, from + PASSAGES_AT_A_TIME).map(passageId);
      found.push(...(await sourcesOf(this.#engine, this.#index, ids, [...STORED, ...more], call)));
    }
    return found;
  }

  async #several(bodies: readonly Clause[], call: Call): Promise<Source[][]> {
    checkSignal(call.signal);
    if (bodies.length === 0) return [];
    // Counts over all shards, or passages of small shards would weigh otherwise.
    const header = {
      index: this.#index,
      search_type: 'dfs_query_then_fetch',
      allow_partial_search_results: false,
    };
    const { body } = await this.#engine.ask<{ responses: Found[] }>({
      method: 'POST',
      path: '/_msearch',
      lines: bodies.flatMap((one) => [header, { track_total_hits: false, ...one }]),
      ...call,
    });
    if (body.responses?.length !== bodies.length)
      throw this.#engine.notWhole('some searches were not answered');
    return body.responses.map((response) => {
      const { timed_out, _shards, hits, error } = response;
      if (error !== undefined) throw this.#engine.notWhole(`${error.type}: ${error.reason}`.slice(0, 300));
      if (timed_out) throw this.#engine.notWhole('a search ran out of time');
      // A shard that nobody holds is not among those that failed.
      if (_shards === undefined || _shards.successful !== _shards.total || hits === undefined) {
        const { successful = 0, total = 'all' } = _shards ?? {};
        throw this.#engine.notWhole(`${successful} of ${total} shards answered`);
      }
      return hits.hits.map(({ _source }) => _source);
    });
  }
}

/** Documents by id, in the order of the ids. One that is missing is a failure. */
export async function sourcesOf(
  engine: Engine,
  index: string,
  ids: readonly string[],
  fields: readonly string[],
  call: Call = {},
): Promise<Source[]> {
  const { body } = await engine.ask<{ docs: { found?: boolean; _source?: Source }[] }>({
    method: 'POST',
    path: `/${index}/_mget`,
    query: { realtime: false, _source_includes: fields.join(',') },
    body: { ids },
    ...call,
  });
  return ids.map((id, i) => {
    const { found, _source } = body.docs[i] ?? {};
    if (found !== true || _source === undefined) throw engine.notWhole(`${id} could not be read`);
    return _source;
  });
}

/** Base64 of little-endian floats as what they are. */
function vectorIn(floats: string): Float32Array {
  const bytes = new Uint8Array(Buffer.from(floats, 'base64'));
  return new Float32Array(bytes.buffer, 0, bytes.byteLength / 4);
}

function indexedFrom({ ordinal, stored, floats }: Source): IndexedPassage {
  const { passage, parts } = JSON.parse(stored) as Pick<IndexedPassage, 'passage' | 'parts'>;
  return { ordinal, passage, parts, vector: vectorIn(floats) };
}

function clausesOf(filters: Filters | undefined): Clause[] {
  return Object.entries(filters ?? {}).flatMap(([name, values]) =>
    values === undefined ? [] : [{ terms: { [name]: values } }],
  );
}
