/** What an open generation in PostgreSQL is asked, and what is made of its answers. */
import { type FieldName, type Lexicon, TopK } from '../../postings/index.ts';
import { explaining, termKeys } from '../../structure/index.ts';
import type { DocumentEntry } from '../../types.ts';
import type { Call, Hit, IndexBackend, IndexedPassage, Search, Seen } from '../backend.ts';
import { checkSignal } from '../cancelled.ts';
import type { Filters } from '../filters.ts';
import { bitsOf, MOST_ENTRIES, ordinalsIn, seenFrom, termShare } from '../scored.ts';
import { checkVector, similarity } from '../similarity.ts';
import { type Listed, type Meta, storable } from './layout.ts';
import type { Asks, Server } from './server.ts';

/** So many more than asked for are fetched and scored exactly here, because the server's sums and products are rounded. */
const SPARE = 20;
/** Where filters leave no more passages than these, all of them are compared: faster than a graph of which most are kept out. */
const COMPARED = 2_000;

interface Row {
  ordinal: number;
  stored: string;
  vector: Buffer;
}

interface Opened {
  meta: Meta;
  generation: number;
  lexicons: Readonly<Record<FieldName, Lexicon>>;
  documents: readonly DocumentEntry[];
}

/** Values of a statement, each with the place that it has in it. */
class Values {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

/** The port's questions. What is not answered whole throws BACKEND_UNAVAILABLE. */
export class Queries implements Pick<IndexBackend, 'search' | 'look' | 'passages' | 'holding' | 'entriesOf'> {
  readonly #server: Server;
  /** Who is asked: the server, or one transaction of it. */
  readonly #asks: Asks;
  readonly #opened: Opened;

  constructor(server: Server, opened: Opened, asks: Asks = server) {
    this.#server = server;
    this.#asks = asks;
    this.#opened = opened;
  }

  get #size(): number {
    return this.#opened.meta.manifest.counts.passages;
  }

  /** A table and the generation's place in it. */
  #from(table: 'passages' | 'postings', as: string): { table: string; own: string } {
    return {
      table: `${this.#server.schema}.${table} ${as}`,
      own: `${as}.generation = ${this.#opened.generation}`,
    };
  }

  /** All at once, each on a connection of its own. */
  async search(searches: readonly Search[], call: Call = {}): Promise<Hit[][]> {
    checkSignal(call.signal);
    const found = await Promise.all(
      searches.map((search) => {
        const k = Math.min(search.k, this.#size);
        if ('vector' in search) return this.#nearest({ ...search, k }, call);
        return this.#byWords({ ...search, k }, call);
      }),
    );
    if (found.some((hits) => hits.length === 0)) await this.#checkThere(call);
    return found;
  }

  async #byWords(
    { field, terms, kinds = 0, filters, k }: Extract<Search, { field: FieldName }>,
    call: Call,
  ): Promise<Hit[]> {
    const weighed = this.#opened.lexicons[field].weigh(terms);
    const held = weighed.filter(({ place, weight }) => place >= 0 && weight > 0);
    if (k === 0 || held.length === 0) return [];
    const values = new Values();
    const words = values.add(held.map(({ term }) => term));
    const weights = values.add(held.map(({ weight }) => weight));
    const where = this.#where('ordinal', { filters, kinds }, values);
    if (where === null) return [];
    const postings = this.#from('postings', 't');
    const passages = this.#from('passages', 'p');
    const rows = await this.#asks.ask<{ ordinal: number; found: number | null; terms: string | null }>(
      `SELECT best.ordinal, p.ordinal AS found, p.terms_${field} AS terms FROM (
        SELECT ordinal FROM (
          SELECT unnest(t.ordinals) AS ordinal, unnest(t.shares) AS share, q.weight
          FROM unnest(${words}::text[], ${weights}::float8[]) AS q(term, weight) JOIN ${postings.table} ON t.term = q.term
          WHERE ${postings.own} AND t.field = '${field}'
        ) AS held ${where} GROUP BY ordinal
        ORDER BY sum(weight * share) DESC, ordinal LIMIT ${k + SPARE}
      ) AS best LEFT JOIN ${passages.table} ON ${passages.own} AND p.ordinal = best.ordinal`,
      values.all,
      call,
    );
    const best = new TopK(k);
    for (const { ordinal, found, terms: own } of rows) {
      if (found === null) throw this.#server.notWhole(`passage ${ordinal} is missing`);
      const score = termShare(this.#opened.meta, field, weighed, own);
      if (score > 0) best.offer(ordinal, score);
    }
    return best.sorted();
  }

  async #nearest(
    { vector, filters, k }: Extract<Search, { vector: Float32Array }>,
    call: Call,
  ): Promise<Hit[]> {
    checkVector(this.#dimension, vector);
    if (k === 0) return [];
    const values = new Values();
    const asked = values.add(`[${vector.join()}]`);
    const where = this.#where('p.ordinal', { filters, kinds: 0 }, values);
    if (where === null) return [];
    const left = this.#mostLeft(filters);
    const wanted = Math.min(left, k + SPARE);
    const { table, own } = this.#from('passages', 'p');
    const ranked = (by: string) =>
      this.#asks.ask<Pick<Row, 'ordinal' | 'vector'>>(
        `SELECT p.ordinal, vector_send(p.embedding) AS vector FROM ${table}
        ${where === '' ? 'WHERE' : `${where} AND`} ${own} ORDER BY ${by} LIMIT ${wanted}`,
        values.all,
        call,
      );
    // An index is not used for a sum, so that everything is compared.
    const exactly = () => ranked(`(p.embedding <#> ${asked}::vector) + 0`);
    let rows =
      filters !== undefined && left <= COMPARED
        ? await exactly()
        : await ranked(`p.embedding::vector(${this.#dimension}) <#> ${asked}::vector(${this.#dimension})`);
    // A walk ends where its memory does, or in a part of the graph from which no way leads on.
    if (rows.length < wanted) rows = await exactly();
    const best = new TopK(k);
    for (const row of rows) best.offer(row.ordinal, similarity(vectorIn(row.vector), vector));
    return best.sorted();
  }

  get #dimension(): number {
    return this.#opened.meta.manifest.embedder.dimension;
  }

  /** A clause for what filters let through; null where that is nothing. */
  #where(
    ordinal: string,
    { filters, kinds }: { filters: Filters | undefined; kinds: number },
    values: Values,
  ): string | null {
    const clauses: string[] = [];
    const { docId, source, genre } = filters ?? {};
    if (docId !== undefined || source !== undefined) {
      const ranges = this.#documentsOf(filters).map(
        ({ first, passages }) => `[${first},${first + passages})`,
      );
      if (ranges.length === 0) return null;
      clauses.push(`${ordinal} <@ ${values.add(`{${ranges.join()}}`)}::int4multirange`);
    }
    const listed = (field: Listed, names: readonly string[]) => {
      const { table, own } = this.#from('postings', 'l');
      clauses.push(
        `${ordinal} IN (SELECT unnest(l.ordinals) FROM ${table} WHERE ${own} AND l.field = '${field}' AND l.term = ANY(${values.add(names)}::text[]))`,
      );
    };
    if (genre !== undefined) {
      if (genre.length === 0) return null;
      listed('genre', genre);
    }
    if (kinds !== 0) listed('kind', bitsOf(kinds).map(String));
    return clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`;
  }

  #documentsOf({ docId, source }: Filters = {}): DocumentEntry[] {
    const [ids, sources] = [docId && new Set(docId), source && new Set(source)];
    return this.#opened.documents.filter(
      (document) => (ids?.has(document.docId) ?? true) && (sources?.has(document.source) ?? true),
    );
  }

  /** How many passages filters leave at most. */
  #mostLeft(filters: Filters | undefined): number {
    if (filters === undefined) return this.#size;
    const { genres } = this.#opened.meta.manifest.counts;
    const ofDocuments = this.#documentsOf(filters).reduce((sum, { passages }) => sum + passages, 0);
    if (filters.genre === undefined) return ofDocuments;
    const ofGenres = [...new Set(filters.genre)].reduce((sum, genre) => sum + genres[genre], 0);
    return Math.min(ofDocuments, ofGenres);
  }

  async look(
    ordinals: readonly number[],
    asked: Parameters<IndexBackend['look']>[1],
    call: Call = {},
  ): Promise<Seen[]> {
    checkVector(this.#dimension, asked.vector);
    const rows = await this.#read<Row & { terms_text: string | null }>(ordinals, ', p.terms_text', call);
    const found = rows.map((row) => ({ indexed: indexedFrom(row), terms: row.terms_text }));
    return seenFrom(found, asked, { meta: this.#opened.meta, text: this.#opened.lexicons.text });
  }

  async passages(ordinals: readonly number[], call: Call = {}): Promise<IndexedPassage[]> {
    return (await this.#read<Row>(ordinals, '', call)).map(indexedFrom);
  }

  async holding(terms: readonly string[], most: number, call: Call = {}): Promise<IndexedPassage[][]> {
    checkSignal(call.signal);
    const lexicon = this.#opened.lexicons.text;
    const known = lexicon.weigh(terms.map((term) => ({ term, weight: 1 }))).filter(({ place }) => place >= 0);
    const counts = new Map(known.map(({ term, place }) => [term, lexicon.count(place)]));
    const { table, own } = this.#from('postings', 't');
    const blocks = await this.#asks.ask<{ term: string; ordinals: number[] }>(
      `SELECT t.term, t.ordinals[1:$2] AS ordinals FROM ${table}
        WHERE ${own} AND t.field = 'text' AND t.term = ANY($1::text[]) AND t.first < $2 ORDER BY t.first`,
      [[...counts.keys()], most],
      call,
    );
    const found = new Map<string, number[]>();
    for (const { term, ordinals } of blocks) {
      found.set(term, [...(found.get(term) ?? []), ...ordinals].slice(0, most));
    }
    for (const [term, count] of counts) {
      if (found.get(term)?.length === Math.min(most, count)) continue;
      throw this.#server.notWhole('a list of passages is missing');
    }
    return this.#listsOf(
      terms.map((term) => found.get(term) ?? []),
      call,
    );
  }

  async entriesOf(terms: readonly string[], call: Call = {}): Promise<IndexedPassage[][]> {
    checkSignal(call.signal);
    const asked = terms.map((term) => ({ term, keys: termKeys(term).map(storable) }));
    const keys = [...new Set(asked.flatMap((one) => one.keys))];
    if (keys.length === 0) return terms.map(() => []);
    const { table, own } = this.#from('postings', 't');
    const rows = await this.#asks.ask<{ field: Listed; term: string; ordinals: number[] }>(
      `SELECT t.field, t.term, t.ordinals FROM ${table}
        WHERE ${own} AND t.field IN ('entry', 'heading') AND t.term = ANY($1::text[])`,
      [keys],
      call,
    );
    if (rows.length === 0) await this.#checkThere(call);
    const lists = asked.map((one) => {
      const of = (field: Listed) =>
        new Set(
          rows
            .filter((row) => row.field === field && one.keys.includes(row.term))
            .flatMap(({ ordinals }) => ordinals),
        );
      const entries = of('entry');
      const all = [...entries, ...of('heading')].sort((a, b) => a - b);
      return { entries, ordinals: [...new Set(all)].slice(0, MOST_ENTRIES) };
    });
    const passages = await this.#listsOf(
      lists.map(({ ordinals }) => ordinals),
      call,
    );
    return passages.map((list, i) => {
      const isEntry = ({ ordinal }: IndexedPassage) => lists[i]!.entries.has(ordinal);
      const parted = { entries: list.filter(isEntry), headings: list.filter((one) => !isEntry(one)) };
      return explaining(terms[i]!, parted, ({ parts }) => parts);
    });
  }

  /** Lists of passages by ordinals, each passage read once. */
  async #listsOf(lists: readonly (readonly number[])[], call: Call): Promise<IndexedPassage[][]> {
    const found = await this.passages([...new Set(lists.flat())], call);
    const byOrdinal = new Map(found.map((passage) => [passage.ordinal, passage]));
    return lists.map((list) => list.map((ordinal) => byOrdinal.get(ordinal)!));
  }

  /** Passages in the order asked for, those left out that there are none of. One that is missing is a failure. */
  async #read<R extends Row>(ordinals: readonly number[], more: string, call: Call): Promise<R[]> {
    checkSignal(call.signal);
    const wanted = ordinalsIn(this.#size, ordinals);
    if (wanted.length === 0) return [];
    const { table, own } = this.#from('passages', 'p');
    const rows = await this.#asks.ask<R>(
      `SELECT p.ordinal, p.stored, vector_send(p.embedding) AS vector${more} FROM ${table}
        WHERE ${own} AND p.ordinal = ANY($1::int[])`,
      [wanted],
      call,
    );
    const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
    return wanted.map((ordinal) => {
      const row = byOrdinal.get(ordinal);
      if (row === undefined) throw this.#server.notWhole(`passage ${ordinal} is missing`);
      return row;
    });
  }

  /** A generation that was removed has no rows, which is no answer. */
  async #checkThere(call: Call): Promise<void> {
    const { generation } = this.#opened;
    const [there] = await this.#asks.ask(
      `SELECT 1 FROM ${this.#server.schema}.generations WHERE id = $1`,
      [generation],
      call,
    );
    if (there === undefined) throw this.#server.notWhole('this generation was removed for newer ones');
  }
}

/** What `vector_send` gives: two 16-bit numbers, then floats, the highest byte first. */
export function vectorIn(sent: Buffer): Float32Array {
  return Float32Array.from({ length: (sent.length - 4) / 4 }, (_, i) => sent.readFloatBE(4 + 4 * i));
}

function indexedFrom({ ordinal, stored, vector }: Row): IndexedPassage {
  const { passage, parts } = JSON.parse(stored) as Pick<IndexedPassage, 'passage' | 'parts'>;
  return { ordinal, passage, parts, vector: vectorIn(vector) };
}
