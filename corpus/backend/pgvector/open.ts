/** A generation in PostgreSQL, open for queries. */
import { messageOf, PragauraError } from '../../../common/index.ts';
import type { Passage } from '../../passages/passage.ts';
import type { CorpusIndex, DocumentEntry, Part } from '../../types.ts';
import { indexOf } from '../../view.ts';
import type { Health, IndexBackend } from '../backend.ts';
import { checkedSegments, openedFrom } from '../copy.ts';
import { embeddedBackend } from '../embedded.ts';
import { addressFrom, indexNameOf } from './address.ts';
import { Meta, PARTITIONED, SCHEMA } from './layout.ts';
import { Queries, vectorIn } from './queries.ts';
import { type Asks, Server } from './server.ts';

/** Rows of documents, and of passages, that one statement reads where all of them are read. */
const ROWS_AT_A_TIME = 1_000;

/** One generation of an index. */
export interface Generation {
  name: string;
  id: number;
  meta: Meta;
}

/**
 * Opens the generation that an index is at, as far as the role may read it. `backend`: as `--backend` has it. Throws
 * BACKEND_UNAVAILABLE, BACKEND_UNUSABLE, and INDEX_UNUSABLE where there is none, none that this role may read, or what is read
 * at opening is not what was written.
 */
export async function openPgvector(index: string, backend: string): Promise<IndexBackend> {
  const name = indexNameOf(index);
  const server = new Server(addressFrom(backend));
  try {
    const versions = await server.check();
    const current = (await server.isLaidOut()) ? await currentOf(server, name) : undefined;
    if (current === undefined) throw noIndex(server, name);
    const opened = (await readsAll(server, name))
      ? await openGeneration(server, current)
      : await openReadable(server, current);
    return {
      ...opened,
      health: () => healthOf(server, current, versions),
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function noIndex(server: Server, name: string): PragauraError {
  return new PragauraError(
    'INDEX_UNUSABLE',
    `There is no index "${name}" in the PostgreSQL at ${server.shown} that this role may read.`,
    {
      hint: `Put it there: pragaura index PATH… --out ${name} --backend pgvector=${server.shown}; who is not its owner needs a row in ${server.schema}.readers.`,
    },
  );
}

/** The generation that an index is at. Throws BACKEND_UNUSABLE for one that is not understood. */
export async function currentOf(server: Server, name: string): Promise<Generation | undefined> {
  const [found] = await server.ask<{ id: number; meta: string }>(
    `SELECT g.id, g.meta FROM ${server.schema}.indexes i JOIN ${server.schema}.generations g ON g.id = i.generation
      WHERE i.index_name = $1`,
    [name],
  );
  if (found === undefined) return undefined;
  return { name, id: found.id, meta: metaIn(server, name, found.meta) };
}

/** Throws BACKEND_UNUSABLE. */
function metaIn(server: Server, name: string, text: string): Meta {
  try {
    return Meta.parse(JSON.parse(text));
  } catch (error) {
    throw new PragauraError(
      'BACKEND_UNUSABLE',
      `The index "${name}" at ${server.shown} does not say what it is: ${messageOf(error)}`,
      { hint: 'Run "pragaura index" with --backend again.', cause: error },
    );
  }
}

/** Whether the role may read an index whole: its owner, or whom a row of `readers` lets read all of it. */
async function readsAll(server: Server, name: string): Promise<boolean> {
  const { schema } = server;
  const [said] = await server.ask<{ all: boolean }>(
    `SELECT NOT row_security_active('${schema}.segments') OR EXISTS (
      SELECT FROM ${schema}.readers WHERE index_name = $1 AND path = '') AS all`,
    [name],
  );
  return said!.all;
}

/** Opens a generation that may be read whole. `asks`: who is asked, where that is one transaction. */
export async function openGeneration(
  server: Server,
  { name, id, meta }: Generation,
  asks: Asks = server,
): Promise<Omit<IndexBackend, 'health' | 'close'>> {
  const rows = await asks.ask<{ name: string; bytes: Buffer }>(
    `SELECT name, bytes FROM ${server.schema}.segments WHERE generation = $1 ORDER BY name, part`,
    [id],
  );
  const read = new Map(
    Object.keys(meta.segments).map((segment) => [
      segment,
      new Uint8Array(Buffer.concat(rows.filter((row) => row.name === segment).map(({ bytes }) => bytes))),
    ]),
  );
  const opened = openedFrom(checkedSegments(name, meta.segments, read), meta.manifest, SCHEMA);
  const queries = new Queries(server, { meta, generation: id, ...opened }, asks);
  return {
    name: `${name} at ${server.shown}`,
    folder: null,
    ...opened,
    search: (searches, call) => queries.search(searches, call),
    look: (ordinals, query, call) => queries.look(ordinals, query, call),
    passages: (ordinals, call) => queries.passages(ordinals, call),
    holding: (terms, most, call) => queries.holding(terms, most, call),
    entriesOf: (terms, call) => queries.entriesOf(terms, call),
  };
}

/**
 * Opens what a role may read of a generation as if there were nothing else: its rows are read, and the rest is made of them in
 * memory, as `openView` does. Counts, terms and identifiers of what it may not read never leave the server.
 */
async function openReadable(server: Server, { name, id, meta }: Generation): Promise<IndexBackend> {
  const index = await server.transaction((asks) => readableIndex(server, asks, { name, id, meta }), {
    snapshot: true,
  });
  if (index.documents.length === 0) throw noIndex(server, name);
  return { ...embeddedBackend(index), folder: null };
}

async function readableIndex(
  server: Server,
  asks: Asks,
  { name, id, meta }: Generation,
): Promise<CorpusIndex> {
  const { embedder, settings } = meta.manifest;
  const documents: DocumentEntry[] = [];
  const parts: Part[][] = [];
  const passages: Passage[] = [];
  const vectors: Float32Array[] = [];
  const keys: Buffer[] = [];
  const firsts = new Map<number, number>();
  for await (const rows of pages<{
    ordinal: number;
    document: number;
    stored: string;
    key: Buffer;
    vector: Buffer;
  }>(
    asks,
    `SELECT ordinal, document, stored, key, vector_send(embedding) AS vector FROM ${server.schema}.passages
      WHERE generation = ${id} ORDER BY ordinal`,
  )) {
    for (const { document, stored, key, vector } of rows) {
      if (!firsts.has(document)) firsts.set(document, passages.length);
      passages.push((JSON.parse(stored) as { passage: Passage }).passage);
      vectors.push(vectorIn(vector));
      keys.push(key);
    }
  }
  for await (const rows of pages<{ number: number; entry: string; parts: string }>(
    asks,
    `SELECT number, entry, parts FROM ${server.schema}.documents WHERE generation = ${id} ORDER BY number`,
  )) {
    for (const row of rows) {
      documents.push({
        ...(JSON.parse(row.entry) as DocumentEntry),
        first: firsts.get(row.number) ?? passages.length,
      });
      parts.push(JSON.parse(row.parts) as Part[]);
    }
  }
  const wanted = documents.reduce((sum, document) => sum + document.passages, 0);
  if (passages.length !== wanted) {
    throw server.notWhole(
      `${passages.length} of ${wanted} passages of the documents that may be read are there`,
    );
  }
  const flat = new Float32Array(passages.length * embedder.dimension);
  vectors.forEach((vector, i) => {
    flat.set(vector, i * embedder.dimension);
  });
  return indexOf({
    ...{ dir: `${name} at ${server.shown}`, embedder, settings, passages, documents, parts },
    declared: meta.declared,
    vectors: { vectors: flat, keys: new Uint8Array(Buffer.concat(keys)) },
  });
}

/** The rows of a statement, some at a time, through a cursor of the transaction. */
async function* pages<T extends object>(asks: Asks, text: string): AsyncGenerator<T[]> {
  await asks.ask(`DECLARE pages NO SCROLL CURSOR FOR ${text}`);
  for (;;) {
    const rows = await asks.ask<T>(`FETCH ${ROWS_AT_A_TIME} FROM pages`);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_A_TIME) break;
  }
  await asks.ask('CLOSE pages');
}

async function healthOf(
  server: Server,
  { name, id }: Generation,
  { postgres, pgvector }: { postgres: string; pgvector: string },
): Promise<Health> {
  const { schema } = server;
  const tables = PARTITIONED.map((table) => `${schema}.${table}_${id}`);
  const [found] = await server.ask<{ there: boolean; current: string | null; bytes: number | null }>(
    `SELECT EXISTS (SELECT FROM ${schema}.generations WHERE id = $1) AS there,
      (SELECT generation::text FROM ${schema}.indexes WHERE index_name = $2) AS current,
      (SELECT sum(pg_total_relation_size(to_regclass(own)))::float8 FROM unnest($3::text[]) AS own) AS bytes`,
    [id, name, tables],
  );
  const { there, current, bytes } = found!;
  return {
    state: 'ok',
    generation: current === `${id}` ? 'current' : there ? 'superseded' : 'gone',
    current,
    detail: `PostgreSQL ${postgres} with pgvector ${pgvector} at ${server.shown}`,
    bytes,
  };
}
