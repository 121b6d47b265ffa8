/** A generation in OpenSearch, open for queries. */
import { PragauraError } from '../../../common/index.ts';
import type { Health, IndexBackend } from '../backend.ts';
import { checkedSegments, openedFrom } from '../copy.ts';
import { type Address, addressFrom, aliasOf } from './address.ts';
import { Engine } from './engine.ts';
import { KIND, Meta, SCHEMA, segmentId } from './layout.ts';
import { Queries, sourcesOf } from './queries.ts';

/** Segments that one request names at most. */
const SEGMENTS_AT_A_TIME = 8;
/** Milliseconds that a node may wait for the cluster to be one again before it says how it is. */
const STATE_MS = 3_000;

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
  const segments = checkedSegments(index, meta.segments, await readSegments(engine, index, meta));
  const opened = openedFrom(segments, meta.manifest, SCHEMA);
  const queries = new Queries(engine, index, meta, opened.lexicons);
  return {
    name: `${alias} at ${engine.shown}`,
    folder: null,
    ...opened,
    search: (searches, call) => queries.search(searches, call),
    look: (ordinals, query, call) => queries.look(ordinals, query, call),
    passages: (ordinals, call) => queries.passages(ordinals, call),
    holding: (terms, most, call) => queries.holding(terms, most, call),
    entriesOf: (terms, call) => queries.entriesOf(terms, call),
    health: () => healthOf(engine, index, { alias, version }),
    close: () => engine.close(),
  };
}

async function readSegments(
  engine: Engine,
  index: string,
  { segments }: Meta,
): Promise<Map<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  for (const [name, { parts }] of Object.entries(segments)) {
    const pieces: Buffer[] = [];
    for (let from = 0; from < parts; from += SEGMENTS_AT_A_TIME) {
      const count = Math.min(SEGMENTS_AT_A_TIME, parts - from);
      const ids = Array.from({ length: count }, (_, i) => segmentId(name, from + i));
      const sources = await sourcesOf(engine, index, ids, ['bytes']);
      pieces.push(...sources.map(({ bytes = '' }) => Buffer.from(bytes, 'base64')));
    }
    read.set(name, new Uint8Array(Buffer.concat(pieces)));
  }
  return read;
}

async function bytesOf(engine: Engine, index: string): Promise<number | null> {
  const { body } = await engine.ask<{ _all?: { primaries?: { store?: { size_in_bytes?: number } } } }>({
    method: 'GET',
    path: `/${index}/_stats/store`,
  });
  return body._all?.primaries?.store?.size_in_bytes ?? null;
}

async function healthOf(
  engine: Engine,
  index: string,
  { alias, version }: { alias: string; version: string },
): Promise<Health> {
  const query = { cluster_manager_timeout: `${STATE_MS}ms` };
  const { status: there } = await engine.ask({ method: 'HEAD', path: `/${index}`, query, allowed: 404 });
  const now = await aliasedBy(engine, alias);
  const generation = there === 404 ? 'gone' : now.includes(index) ? 'current' : 'superseded';
  const { body } = await engine.ask<{ status: string; number_of_nodes: number }>({
    method: 'GET',
    path: generation === 'gone' ? '/_cluster/health' : `/_cluster/health/${index}`,
    query,
  });
  const { status, number_of_nodes: nodes } = body;
  if (status === 'red' && generation !== 'gone') {
    throw engine.notWhole('it is red, shards are missing');
  }
  const detail = `OpenSearch ${version} at ${engine.shown}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${status}`;
  return {
    state: status === 'green' ? 'ok' : 'degraded',
    generation,
    current: now.length === 0 ? null : now.join(),
    detail,
    bytes: generation === 'gone' ? null : await bytesOf(engine, index),
  };
}
