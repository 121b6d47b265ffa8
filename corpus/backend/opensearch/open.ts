/** A generation in OpenSearch, open for queries. */
import { createHash } from 'node:crypto';
import { PragauraError } from '../../../common/index.ts';
import { loadIdentifiers } from '../../identifiers/index.ts';
import type { Passage } from '../../passages/passage.ts';
import {
  FIELDS,
  type FieldName,
  idf,
  Lexicon,
  normOf,
  PARAMETERS,
  type QueryTerm,
  TopK,
  type WeightedTerm,
} from '../../postings/index.ts';
import { explaining, termKeys } from '../../structure/index.ts';
import type { DocumentEntry } from '../../types.ts';
import type { Health, Hit, IndexBackend, IndexedPassage, Search, Seen } from '../backend.ts';
import type { Filters } from '../filters.ts';
import { checkVector, similarity } from '../similarity.ts';
import { type Address, addressFrom, aliasOf } from './address.ts';
import { Engine } from './engine.ts';
import { KIND, Meta, MOST_HITS, MOST_NEAREST, passageId, SCHEMA, segmentId } from './layout.ts';

/** Passages that one request names at most, and segments. */
const PASSAGES_AT_A_TIME = 500;
const SEGMENTS_AT_A_TIME = 8;
/** Of what explains a term so many passages are looked at. */
const MOST_ENTRIES = 1_000;
/**
 * The engine keeps lengths in a byte and finds neighbours by a graph: so many more than asked for are fetched and scored
 * exactly here, that what is found differs only where many are as good as the last.
 */
const SPARE = { times: 2, and: 50 } as const;
/** Passages that the graph is walked for at least: far from all of them it misses more. */
const LEAST_WALKED = 500;

interface Source {
  ordinal: number;
  stored: string;
  floats: string;
  terms: Partial<Record<FieldName, string>>;
  entries?: string[];
  bytes?: string;
}

interface Found {
  timed_out?: boolean;
  _shards?: { failed: number; total: number; failures?: unknown[] };
  hits?: { hits: { _source: Source }[] };
  error?: { type?: string; reason?: string };
}

/** What OpenSearch is asked for a search. */
type Clause = Record<string, unknown>;

/** Opens the generation that an index's alias points to. `backend`: as `--backend` has it. Throws as `openGeneration`. */
export async function openOpenSearch(index: string, backend: string): Promise<IndexBackend> {
  const address = addressFrom(backend);
  const alias = aliasOf(index);
  const engine = new Engine(address);
  try {
    const { version } = await engine.check();
    return await openGeneration(engine, await currentOf(engine, alias, address), { alias, version });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * The index that an alias points to. Throws INDEX_UNUSABLE where there is none, BACKEND_UNUSABLE where it is no alias or points
 * to several.
 */
export async function currentOf(
  engine: Engine,
  alias: string,
  { shown }: Pick<Address, 'shown'>,
): Promise<string> {
  const found = await aliasedBy(engine, alias);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new PragauraError('INDEX_UNUSABLE', `There is no index "${alias}" in the OpenSearch at ${shown}.`, {
      hint: `Put it there: pragaura index PATH… --out ${alias} --backend opensearch=${shown}`,
    });
  }
  throw new PragauraError(
    'BACKEND_UNUSABLE',
    `The alias "${alias}" points to ${found.length} indexes: ${found.join(', ')}.`,
    {
      hint: 'An alias points to one generation. Remove it from the others, or run "pragaura index" with --backend again.',
    },
  );
}

/** The indexes that an alias points to. Throws BACKEND_UNUSABLE where an index of that very name is in its place. */
export async function aliasedBy(engine: Engine, alias: string): Promise<string[]> {
  const { status, body } = await engine.ask<Record<string, unknown>>({
    method: 'GET',
    path: `/_alias/${alias}`,
    allowed: 404,
  });
  if (status !== 404) return Object.keys(body).sort();
  const { status: there } = await engine.ask({ method: 'HEAD', path: `/${alias}`, allowed: 404 });
  if (there === 404) return [];
  throw new PragauraError(
    'BACKEND_UNUSABLE',
    `"${alias}" at ${engine.shown} is an index of something else.`,
    {
      hint: 'Give the index another name with --out and --index.',
    },
  );
}

/** What the mapping of an index says, unchecked. */
async function saidOf(engine: Engine, index: string): Promise<{ schema?: unknown } | undefined> {
  const { body } = await engine.ask<Record<string, { mappings?: { _meta?: object } }>>({
    method: 'GET',
    path: `/${index}/_mapping`,
  });
  return body[index]?.mappings?._meta;
}

/** Whether an index is a generation of ours, of whatever version and however far it got. */
export async function isOurs(engine: Engine, index: string): Promise<boolean> {
  return String((await saidOf(engine, index))?.schema).startsWith(KIND);
}

/**
 * What the mapping of an index says. Throws BACKEND_UNUSABLE for one of something else, or that was never finished, unless that
 * is what is wanted.
 */
export async function metaOf(engine: Engine, index: string, complete = true): Promise<Meta> {
  const said = await saidOf(engine, index);
  const parsed = Meta.safeParse(said);
  if (parsed.success && parsed.data.complete === complete) return parsed.data;
  const other = said?.schema;
  const problem = parsed.success
    ? complete
      ? 'was never finished'
      : 'was finished by another run'
    : other === undefined
      ? 'has another mapping: it is none of PragAURA'
      : `is of another version (${String(other)}; this one reads ${SCHEMA})`;
  throw new PragauraError('BACKEND_UNUSABLE', `The index "${index}" at ${engine.shown} ${problem}.`, {
    hint: 'Run "pragaura index" with --backend again, or give the index another name with --out.',
  });
}

/**
 * Opens one index of an engine. Throws BACKEND_UNAVAILABLE, BACKEND_UNUSABLE, and INDEX_UNUSABLE where what is read at opening
 * is not what was written.
 */
export async function openGeneration(
  engine: Engine,
  index: string,
  { alias, version }: { alias: string; version: string },
): Promise<IndexBackend> {
  const meta = await metaOf(engine, index);
  const segments = await readSegments(engine, index, meta);
  const source = {
    segment: (name: string) => segments.get(name) ?? damaged(index, `it has no part ${name}`),
  };
  const documents = linesOf<DocumentEntry>(source.segment('documents'));
  const { counts } = meta.manifest;
  const lexicons = Object.fromEntries(
    FIELDS.map((name) => [name, new Lexicon(source, name, counts.passages)]),
  ) as Record<FieldName, Lexicon>;
  const identifiers = loadIdentifiers(source);
  const hash = createHash('sha256')
    .update(JSON.stringify([SCHEMA, meta.manifest.hash]))
    .digest('hex');
  const queries = new Queries(engine, index, meta, lexicons);
  return {
    name: `${alias} at ${engine.shown}`,
    dir: null,
    manifest: { ...meta.manifest, hash },
    documents,
    identifiers,
    lexicons,
    search: (searches, { signal } = {}) => queries.search(searches, signal),
    look: (ordinals, query, { signal } = {}) => queries.look(ordinals, query, signal),
    passages: (ordinals, { signal } = {}) => queries.passages(ordinals, signal),
    holding: (terms, most, { signal } = {}) => queries.holding(terms, most, signal),
    entriesOf: (terms, { signal } = {}) => queries.entriesOf(terms, signal),
    health: () => healthOf(engine, index, version),
    close: () => engine.close(),
  };
}

class Queries {
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
  async search(searches: readonly Search[], signal: AbortSignal | undefined): Promise<Hit[][]> {
    const asked = searches.map((search) => this.#asked(search));
    const bodies = asked.flatMap((one) => (one === null ? [] : [one.body]));
    const found = await this.#several(bodies, signal);
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
      scoreOf: (source) => this.#scoreOf(field, weighed, source) || null,
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

  /** The share of the query's weight, as `Field` has it, to the bit. */
  #scoreOf(field: FieldName, weighed: readonly WeightedTerm[], { terms }: Pick<Source, 'terms'>): number {
    const held = terms?.[field]?.split(' ') ?? [];
    const counts = new Map<string, number>();
    for (const term of held) counts.set(term, (counts.get(term) ?? 0) + 1);
    const average = this.#meta.fields[field].total / this.#size;
    const norm = Math.fround(normOf(PARAMETERS[field], held.length, average));
    let attainable = 0;
    for (const { weight } of weighed) attainable += weight;
    let score = 0;
    for (const { term, weight } of weighed) {
      const tf = counts.get(term);
      if (tf !== undefined) score += ((weight / attainable) * tf) / (tf + norm);
    }
    return score;
  }

  async look(
    ordinals: readonly number[],
    {
      terms,
      vector,
      filters,
    }: { terms: readonly QueryTerm[]; vector: Float32Array; filters?: Filters | undefined },
    signal: AbortSignal | undefined,
  ): Promise<Seen[]> {
    checkVector(this.#meta.manifest.embedder.dimension, vector);
    const weighed = this.#lexicons.text.weigh(terms);
    const found = await this.#read(ordinals, ['terms.text'], signal);
    return found
      .map((source) => ({ source, indexed: indexedFrom(source) }))
      .filter(({ indexed }) => isAllowed(indexed.passage, filters))
      .map(({ source, indexed }) => {
        const lexical = this.#scoreOf('text', weighed, source);
        return { ...indexed, lexical, dense: similarity(indexed.vector!, vector) };
      });
  }

  async passages(ordinals: readonly number[], signal: AbortSignal | undefined): Promise<IndexedPassage[]> {
    return (await this.#read(ordinals, [], signal)).map(indexedFrom);
  }

  async holding(
    terms: readonly string[],
    most: number,
    signal: AbortSignal | undefined,
  ): Promise<IndexedPassage[][]> {
    const bodies = terms.map((term) => ({
      query: { term: { 'terms.text': term } },
      sort: [{ ordinal: 'asc' }],
      size: most,
      _source: STORED,
    }));
    return (await this.#several(bodies, signal)).map((found) => found.map(indexedFrom));
  }

  async entriesOf(terms: readonly string[], signal: AbortSignal | undefined): Promise<IndexedPassage[][]> {
    const asked = terms.map((term) => ({ term, keys: termKeys(term) }));
    const bodies = asked
      .filter(({ keys }) => keys.length > 0)
      .map(({ keys }) => ({
        query: { bool: { should: [{ terms: { entries: keys } }, { terms: { headings: keys } }] } },
        sort: [{ ordinal: 'asc' }],
        size: MOST_ENTRIES,
        _source: [...STORED, 'entries'],
      }));
    const found = await this.#several(bodies, signal);
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
  async #read(
    ordinals: readonly number[],
    more: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Source[]> {
    if (signal?.aborted)
      throw new PragauraError('ABORTED', 'Retrieval was cancelled.', { cause: signal.reason });
    const wanted = ordinals.filter(
      (ordinal) => Number.isInteger(ordinal) && ordinal >= 0 && ordinal < this.#size,
    );
    const found: Source[] = [];
    for (let from = 0; from < wanted.length; from += PASSAGES_AT_A_TIME) {
      const ids = wanted.slice(from, from + PASSAGES_AT_A_TIME).map(passageId);
      found.push(...(await sourcesOf(this.#engine, this.#index, ids, [...STORED, ...more], signal)));
    }
    return found;
  }

  async #several(bodies: readonly Clause[], signal: AbortSignal | undefined): Promise<Source[][]> {
    if (signal?.aborted)
      throw new PragauraError('ABORTED', 'Retrieval was cancelled.', { cause: signal.reason });
    if (bodies.length === 0) return [];
    // Counts over all shards, or passages of small shards would weigh otherwise.
    const header = { index: this.#index, search_type: 'dfs_query_then_fetch' };
    const { body } = await this.#engine.ask<{ responses: Found[] }>({
      method: 'POST',
      path: '/_msearch',
      lines: bodies.flatMap((one) => [header, { track_total_hits: false, ...one }]),
      signal,
    });
    if (body.responses?.length !== bodies.length)
      throw notWhole(this.#engine, 'some searches were not answered');
    return body.responses.map((response) => {
      const { timed_out, _shards, hits, error } = response;
      if (error !== undefined) throw notWhole(this.#engine, `${error.type}: ${error.reason}`.slice(0, 300));
      if (timed_out) throw notWhole(this.#engine, 'a search ran out of time');
      if (_shards === undefined || _shards.failed > 0 || hits === undefined) {
        throw notWhole(
          this.#engine,
          `${_shards?.failed ?? 'some'} of ${_shards?.total ?? 'the'} shards failed`,
        );
      }
      return hits.hits.map(({ _source }) => _source);
    });
  }
}

/** What makes up an `IndexedPassage`. */
const STORED = ['ordinal', 'stored', 'floats'];

function notWhole(engine: Engine, what: string): PragauraError {
  return engine.unavailable(
    `The OpenSearch at ${engine.shown} did not look at all of the index: ${what}.`,
    'See its health (GET /_cluster/health) and its log, and ask again.',
  );
}

/** Documents by id, in the order of the ids. One that is missing is a failure. */
async function sourcesOf(
  engine: Engine,
  index: string,
  ids: readonly string[],
  fields: readonly string[],
  signal?: AbortSignal,
): Promise<Source[]> {
  const { body } = await engine.ask<{ docs: { found?: boolean; _source?: Source }[] }>({
    method: 'POST',
    path: `/${index}/_mget`,
    query: { realtime: false, _source_includes: fields.join(',') },
    body: { ids },
    signal,
  });
  return ids.map((id, i) => {
    const { found, _source } = body.docs[i] ?? {};
    if (found !== true || _source === undefined) throw notWhole(engine, `${id} could not be read`);
    return _source;
  });
}

async function readSegments(
  engine: Engine,
  index: string,
  { segments }: Meta,
): Promise<Map<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  for (const [name, { parts, sha256 }] of Object.entries(segments)) {
    const pieces: Buffer[] = [];
    for (let from = 0; from < parts; from += SEGMENTS_AT_A_TIME) {
      const count = Math.min(SEGMENTS_AT_A_TIME, parts - from);
      const ids = Array.from({ length: count }, (_, i) => segmentId(name, from + i));
      const sources = await sourcesOf(engine, index, ids, ['bytes']);
      pieces.push(...sources.map(({ bytes = '' }) => Buffer.from(bytes, 'base64')));
    }
    const whole = new Uint8Array(Buffer.concat(pieces));
    if (createHash('sha256').update(whole).digest('hex') !== sha256) {
      damaged(index, `${name} is not what was written`);
    }
    read.set(name, whole);
  }
  return read;
}

function damaged(index: string, what: string): never {
  throw new PragauraError('INDEX_UNUSABLE', `The index "${index}" is damaged: ${what}.`, {
    hint: 'Delete it, and run "pragaura index" with --backend again.',
  });
}

function linesOf<T>(bytes: Uint8Array): T[] {
  const text = new TextDecoder().decode(bytes);
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as T);
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

function isAllowed(passage: Passage, { docId, source, genre }: Filters = {}): boolean {
  return (
    (docId?.includes(passage.docId) ?? true) &&
    (source?.includes(passage.source) ?? true) &&
    (genre?.includes(passage.genre) ?? true)
  );
}

/** The single bits of a set of kinds. */
export function bitsOf(kinds: number): number[] {
  return Array.from({ length: 16 }, (_, i) => 1 << i).filter((bit) => (kinds & bit) !== 0);
}

async function healthOf(engine: Engine, index: string, version: string): Promise<Health> {
  const { body } = await engine.ask<{ status: string; number_of_nodes: number }>({
    method: 'GET',
    path: `/_cluster/health/${index}`,
  });
  const { status, number_of_nodes: nodes } = body;
  const detail = `OpenSearch ${version} at ${engine.shown}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${status}`;
  if (status === 'red') throw notWhole(engine, 'the index is red, shards are missing');
  return { state: status === 'green' ? 'ok' : 'degraded', detail };
}
