/** Puts a generation of an index folder into PostgreSQL, where it becomes the index when its transaction ends. */
import { PragauraError } from '../../../common/index.ts';
import { FIELDS, loadPostings, termsOf } from '../../postings/index.ts';
import { declaredIn } from '../../previous.ts';
import type { StoredIndex } from '../../store/open-index.ts';
import { keysOf } from '../../structure/index.ts';
import type { IndexBackend } from '../backend.ts';
import { answersAs, isCopyOf, openingSegments, openWhole, type Published, totalsOf } from '../copy.ts';
import { bitsOf } from '../scored.ts';
import { addressFrom, indexNameOf } from './address.ts';
import {
  BLOCK,
  finishStatements,
  graphOf,
  type Listed,
  type Meta,
  PARTITIONED,
  schemaStatements,
  storable,
  tableStatements,
} from './layout.ts';
import { currentOf, type Generation, openGeneration } from './open.ts';
import { type Asks, Server } from './server.ts';

/** Bytes of a segment that one row holds. */
const PIECE = 1 << 20;
/** Rows of passages and documents that one statement sends, and postings. */
const ROWS_AT_A_TIME = 250;
const POSTINGS_AT_A_TIME = 200_000;
/** Milliseconds that whoever reads an index may hold up the removal of an old generation: else it stays until the next run. */
const REMOVAL_MS = 1_000;

/**
 * Writes the generation that an index folder is at into PostgreSQL, under the folder's name: in one transaction it is written,
 * counted, read back and made the index. The generation before stays for those who have it open, older ones go. One that
 * is there already is not written again. `onPassage` is told how many passages were sent.
 * @throws INDEX_UNUSABLE for a folder that is none, or has no vectors yet; BACKEND_UNAVAILABLE, BACKEND_UNUSABLE, USAGE
 */
export async function publishToPgvector(
  dir: string,
  backend: string,
  { onPassage, signal }: { onPassage?: (sent: number) => void; signal?: AbortSignal } = {},
): Promise<Published> {
  const name = indexNameOf(dir);
  const address = addressFrom(backend);
  const folder = await openWhole(dir);
  const server = new Server(address);
  try {
    await server.check();
    await layOut(server);
    const { id, written } = await server.transaction(
      async (asks) => {
        await lockIndex(server, asks, name);
        const before = await writtenBefore(server, asks, { name, folder });
        const generation = before ?? (await write(server, asks, { name, folder, onPassage }));
        if (before === null && !(await isSearchable(server, asks, { generation, folder }))) {
          throw server.unavailable(
            `What the PostgreSQL at ${server.shown} holds is not what was sent, or is not found.`,
            'The index there is as it was. Run the command again.',
          );
        }
        await asks.ask(
          `INSERT INTO ${server.schema}.indexes AS i (index_name, generation) VALUES ($1, $2)
            ON CONFLICT (index_name) DO UPDATE SET generation = excluded.generation,
              before = CASE WHEN i.generation = excluded.generation THEN i.before ELSE i.generation END`,
          [name, generation.id],
        );
        return { id: generation.id, written: before === null };
      },
      { signal },
    );
    return { index: called(name, id), written, removed: await removeOld(server, name) };
  } finally {
    await server.close();
  }
}

function called(name: string, id: number): string {
  return `${name}, generation ${id}`;
}

/** Throws USAGE, BACKEND_UNAVAILABLE and BACKEND_UNUSABLE where an index of this folder could not be put there. */
export async function takesIndex(dir: string, backend: string): Promise<void> {
  const name = indexNameOf(dir);
  const server = new Server(addressFrom(backend));
  try {
    await server.check();
    await layOut(server);
    await currentOf(server, name);
  } finally {
    await server.close();
  }
}

/** Makes what is made once, by whoever comes first. */
export async function layOut(server: Server): Promise<void> {
  if (await server.isLaidOut()) return;
  await server.transaction(async (asks) => {
    await asks.ask(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`pragaura ${server.schema}`]);
    const [there] = await asks.ask(`SELECT 1 FROM pg_namespace WHERE nspname = $1`, [server.schema]);
    if (there !== undefined) return;
    for (const statement of schemaStatements(server.schema)) await asks.ask(statement);
  });
  await server.isLaidOut();
}

/** Two runs that write one index come one after the other; the second is told. */
async function lockIndex(server: Server, asks: Asks, name: string): Promise<void> {
  const [lock] = await asks.ask<{ got: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got`,
    [`pragaura ${server.schema} ${name}`],
  );
  if (lock!.got) return;
  throw server.unavailable(
    `Another run is writing the index "${name}" at ${server.shown}.`,
    'Wait until it is done, and run the command again.',
  );
}

/** Writes a generation, counted and not read back. */
async function write(
  { schema }: Server,
  asks: Asks,
  {
    name,
    folder,
    onPassage,
  }: { name: string; folder: StoredIndex; onPassage?: ((sent: number) => void) | undefined },
): Promise<Generation> {
  const [next] = await asks.ask<{ id: number }>(
    `SELECT nextval(pg_get_serial_sequence('${schema}.generations', 'id'))::int AS id`,
  );
  const { id } = next!;
  const into = (table: string) => `INSERT INTO ${schema}.${table}_${id}`;
  for (const statement of tableStatements(schema, id)) await asks.ask(statement);
  const segments = openingSegments(folder);
  const parts = (bytes: Uint8Array) => Math.ceil(bytes.length / PIECE);
  for (const { name: segment, bytes } of segments) {
    for (let part = 0; part < parts(bytes); part += 1) {
      const piece = Buffer.from(bytes.subarray(part * PIECE, (part + 1) * PIECE));
      await asks.ask(`${into('segments')} VALUES ($1, $2, $3, $4)`, [id, segment, part, piece]);
    }
  }
  await writeDocuments(asks, folder, { into, id });
  await writePassages(asks, folder, { into, id, onPassage });
  const postings = await writePostings(asks, folder, { into, id });
  const { hash, embedder } = folder.manifest;
  for (const statement of finishStatements(schema, id, embedder.dimension)) await asks.ask(statement);
  const meta: Meta = {
    manifest: folder.manifest,
    fields: totalsOf(folder),
    segments: Object.fromEntries(
      segments.map(({ name: segment, bytes, sha256 }) => [segment, { parts: parts(bytes), sha256 }]),
    ),
    postings,
    declared: declaredIn(folder),
  };
  await asks.ask(
    `INSERT INTO ${schema}.generations (id, index_name, hash, meta) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4)`,
    [id, name, hash, JSON.stringify(meta)],
  );
  return { name, id, meta };
}

/** The newest generation that was written of this folder as it is; null where it is none any more that can be read. */
async function writtenBefore(
  server: Server,
  asks: Asks,
  { name, folder }: { name: string; folder: StoredIndex },
): Promise<Generation | null> {
  const [there] = await asks.ask<{ id: number; meta: string }>(
    `SELECT id, meta FROM ${server.schema}.generations WHERE index_name = $1 AND hash = $2 ORDER BY id DESC LIMIT 1`,
    [name, folder.manifest.hash],
  );
  if (there === undefined) return null;
  const generation = { name, id: there.id, meta: JSON.parse(there.meta) as Meta };
  return (await isSearchable(server, asks, { generation, folder })) ? generation : null;
}

interface Writing {
  into: (table: string) => string;
  id: number;
}

async function writeDocuments(asks: Asks, folder: StoredIndex, { into, id }: Writing): Promise<void> {
  for (let from = 0; from < folder.documents.length; from += ROWS_AT_A_TIME) {
    const some = folder.documents.slice(from, from + ROWS_AT_A_TIME);
    await asks.ask(
      `${into('documents')} SELECT $1::int, * FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[])`,
      [
        id,
        some.map((_, i) => from + i),
        some.map(({ docId }) => storable(docId)),
        some.map(({ source }) => storable(source)),
        some.map((entry) => JSON.stringify(entry)),
        some.map((_, i) => JSON.stringify(folder.partsOfDocument(from + i))),
      ],
    );
  }
}

async function writePassages(
  asks: Asks,
  folder: StoredIndex,
  { into, id, onPassage }: Writing & { onPassage?: ((sent: number) => void) | undefined },
): Promise<void> {
  const { passages, vectors, keys, dimension, documents } = folder;
  const placeOf = new Int32Array(passages.length);
  documents.forEach(({ first, passages: count }, place) => {
    placeOf.fill(place, first, first + count);
  });
  const width = keys.length / passages.length;
  for (let from = 0; from < passages.length; from += ROWS_AT_A_TIME) {
    const ordinals = Array.from(
      { length: Math.min(ROWS_AT_A_TIME, passages.length - from) },
      (_, i) => from + i,
    );
    const terms = ordinals.map((ordinal) => termsOf(passages[ordinal]!));
    const columns = FIELDS.map((name) =>
      terms.map((one) => (one[name].length === 0 ? null : one[name].join(' '))),
    );
    const places = columns.map((_, i) => `$${7 + i}::text[]`).join(', ');
    await asks.ask(
      `${into('passages')} (generation, ordinal, document, stored, key, embedding, ${FIELDS.map((name) => `terms_${name}`).join(', ')})
        SELECT $1::int, o, d, s, k, e::vector, ${FIELDS.join(', ')}
        FROM unnest($2::int[], $3::int[], $4::text[], $5::bytea[], $6::text[], ${places}) AS rows (o, d, s, k, e, ${FIELDS.join(', ')})`,
      [
        id,
        ordinals,
        ordinals.map((ordinal) => placeOf[ordinal]),
        ordinals.map((ordinal) =>
          JSON.stringify({ passage: passages[ordinal], parts: folder.partsOf(ordinal) }),
        ),
        ordinals.map((ordinal) => Buffer.from(keys.subarray(ordinal * width, (ordinal + 1) * width))),
        // The shortest text of a float's exact value as a double is read back as that float.
        ordinals.map(
          (ordinal) => `[${vectors.subarray(ordinal * dimension, (ordinal + 1) * dimension).join()}]`,
        ),
        ...columns,
      ],
    );
    onPassage?.(from + ordinals.length);
  }
}

interface List {
  field: string;
  term: string;
  ordinals: ArrayLike<number>;
  shares: ArrayLike<number> | null;
}

/** What each field holds, and passages by the keys that they explain, by genre and by kinds of quantity. */
function* listsOf(folder: StoredIndex): Generator<List> {
  const { passages } = folder;
  const { fields, kinds } = loadPostings(folder, passages);
  for (const field of FIELDS) {
    for (const list of fields[field].postings()) yield { field, ...list };
  }
  const others: Record<Listed, Map<string, number[]>> = {
    entry: new Map(),
    heading: new Map(),
    genre: new Map(),
    kind: new Map(),
  };
  const note = (field: Listed, term: string, ordinal: number) => {
    const list = others[field].get(term);
    if (list === undefined) others[field].set(term, [ordinal]);
    else if (list.at(-1) !== ordinal) list.push(ordinal);
  };
  passages.forEach(({ genre }, ordinal) => {
    const { entries, headings } = keysOf(passages, ordinal, folder.partsOf(ordinal));
    for (const key of entries) note('entry', storable(key), ordinal);
    for (const key of headings) note('heading', storable(key), ordinal);
    for (const bit of bitsOf(kinds[ordinal]!)) note('kind', String(bit), ordinal);
    note('genre', genre, ordinal);
  });
  for (const [field, lists] of Object.entries(others)) {
    for (const [term, ordinals] of lists) yield { field, term, ordinals, shares: null };
  }
}

/** How many postings were written. */
async function writePostings(asks: Asks, folder: StoredIndex, { into, id }: Writing): Promise<number> {
  let rows: { field: string; term: string; first: number; ordinals: string; shares: string | null }[] = [];
  let waiting = 0;
  let all = 0;
  const send = async () => {
    if (rows.length === 0) return;
    await asks.ask(
      `${into('postings')} SELECT $1::int, f, t, n, o::int[], s::real[]
        FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[]) AS rows (f, t, n, o, s)`,
      [
        id,
        rows.map(({ field }) => field),
        rows.map(({ term }) => term),
        rows.map(({ first }) => first),
        rows.map(({ ordinals }) => ordinals),
        rows.map(({ shares }) => shares),
      ],
    );
    rows = [];
    waiting = 0;
  };
  for (const { field, term, ordinals, shares } of listsOf(folder)) {
    for (let first = 0; first < ordinals.length; first += BLOCK) {
      const block = (of: ArrayLike<number>) =>
        `{${Array.prototype.slice.call(of, first, first + BLOCK).join()}}`;
      rows.push({ field, term, first, ordinals: block(ordinals), shares: shares && block(shares) });
    }
    waiting += ordinals.length;
    all += ordinals.length;
    if (waiting >= POSTINGS_AT_A_TIME) await send();
  }
  await send();
  return all;
}

/** The generation, opened, where all rows are there, what is read at opening has its hashes, and passages are what was sent; else null. */
async function openedIntact(
  server: Server,
  asks: Asks,
  { generation, folder }: { generation: Generation; folder: StoredIndex },
): Promise<Omit<IndexBackend, 'close' | 'health'> | null> {
  const { id, meta } = generation;
  const count = (what: string, table: string) =>
    `(SELECT coalesce(${what}, 0)::float8 FROM ${server.schema}.${table} WHERE generation = ${id}) AS ${table}`;
  const [counted] = await asks.ask<{ documents: number; passages: number; postings: number }>(
    `SELECT ${count('count(*)', 'documents')}, ${count('count(*)', 'passages')}, ${count('sum(cardinality(ordinals))', 'postings')}`,
  );
  const { documents, passages, postings } = counted!;
  const { counts } = meta.manifest;
  if (documents !== counts.documents || passages !== counts.passages || postings !== meta.postings)
    return null;
  try {
    const opened = await openGeneration(server, generation, asks);
    return (await isCopyOf(opened, folder)) ? opened : null;
  } catch (error) {
    if (PragauraError.isInstance(error) && error.code === 'INDEX_UNUSABLE') return null;
    throw error;
  }
}

/**
 * Whether it is intact, and passages are found. Vectors that many passages share are an island in the graph, from which
 * no way leads to the others: where it misses passages for that it goes, and all vectors are compared.
 */
async function isSearchable(
  server: Server,
  asks: Asks,
  written: { generation: Generation; folder: StoredIndex },
): Promise<boolean> {
  const { generation, folder } = written;
  const opened = await openedIntact(server, asks, written);
  if (opened === null) return false;
  if (await answersAs(opened, folder)) return true;
  await asks.ask(`DROP INDEX ${server.schema}.${graphOf(generation.id)}`);
  return answersAs(opened, folder);
}

/** Removes generations but the one that an index is at and the one before, unless somebody is reading all the while. */
async function removeOld(server: Server, name: string): Promise<string[]> {
  const { schema } = server;
  const old = await server.ask<{ id: number }>(
    `SELECT g.id FROM ${schema}.generations g JOIN ${schema}.indexes i USING (index_name)
      WHERE g.index_name = $1 AND g.id <> i.generation AND g.id IS DISTINCT FROM i.before ORDER BY g.id`,
    [name],
  );
  const removed: string[] = [];
  for (const { id } of old) {
    const tables = PARTITIONED.map((table) => `${schema}.${table}_${id}`).join(', ');
    const done = server.transaction(
      async (asks) => {
        await asks.ask(`DROP TABLE ${tables}`);
        await asks.ask(`DELETE FROM ${schema}.generations WHERE id = $1`, [id]);
      },
      { lockMs: REMOVAL_MS },
    );
    try {
      await done;
      removed.push(called(name, id));
    } catch (error) {
      if (!(PragauraError.isInstance(error) && error.code === 'BACKEND_UNAVAILABLE')) throw error;
    }
  }
  return removed;
}
