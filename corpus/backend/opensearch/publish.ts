/** Puts a generation of an index folder into OpenSearch, where it becomes the index from one moment to the next. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { PragauraError } from '../../../common/index.ts';
import { FIELDS, termsOf } from '../../postings/index.ts';
import { keysOf } from '../../structure/index.ts';
import type { CorpusIndex } from '../../types.ts';
import { answersAs, isCopyOf, openingSegments, openWhole, type Published, totalsOf } from '../copy.ts';
import { bitsOf } from '../scored.ts';
import { addressFrom, aliasOf } from './address.ts';
import { Engine } from './engine.ts';
import {
  generationIndex,
  generationsOf,
  indexBody,
  type Meta,
  passageId,
  SCHEMA,
  segmentId,
} from './layout.ts';
import { aliasedBy, isOurs, metaOf, openGeneration } from './open.ts';

/** Bytes of a segment that one document holds. */
const PIECE = 1 << 20;
/** Bytes of one bulk request; how often it, or a document of it, is sent again where the engine has no room, and the first pause. */
const BULK = { bytes: 5_000_000, retries: 8, waitMs: 500 } as const;

/**
 * Writes the generation that an index folder is at into OpenSearch, under the folder's name, and points the alias to it
 * once all is there and was read back. The generation before stays for those who have it open, older ones go. One that is
 * there already is not written again. `onPassage` is told how many passages were sent.
 * @throws INDEX_UNUSABLE for a folder that is none, or has no vectors yet; BACKEND_UNAVAILABLE, BACKEND_UNUSABLE, USAGE
 */
export async function publishToOpenSearch(
  dir: string,
  backend: string,
  { onPassage, signal }: { onPassage?: (sent: number) => void; signal?: AbortSignal } = {},
): Promise<Published> {
  const address = addressFrom(backend);
  const alias = aliasOf(dir);
  const folder = await openWhole(dir);
  const engine = new Engine(address);
  try {
    const { version } = await engine.check();
    const before = await ownAliased(engine, alias);
    const index = generationIndex(alias, folder.manifest);
    const written = !(await isComplete(engine, index));
    if (written) {
      const { meta, pieces } = described(folder);
      await engine.ask({ method: 'DELETE', path: `/${index}`, allowed: 404, writes: true });
      await engine.ask({ method: 'PUT', path: `/${index}`, body: indexBody(address, meta), writes: true });
      await sendAll(engine, index, folder, pieces, { onPassage, signal });
      await engine.ask({ method: 'POST', path: `/${index}/_refresh`, writes: true });
      await checkCount(engine, index, folder.passages.length + pieces.length);
      // Deleted meanwhile, it would have been made anew by what was sent, with mappings of the engine's own.
      await metaOf(engine, index, false);
      const body = { _meta: { ...meta, complete: true } };
      await engine.ask({ method: 'PUT', path: `/${index}/_mapping`, body, writes: true });
    }
    await checkReadBack(engine, index, folder, { alias, version });
    const removed = await pointTo(engine, alias, index, before);
    return { index, written, removed };
  } finally {
    await engine.close();
  }
}

/** Throws USAGE, BACKEND_UNAVAILABLE and BACKEND_UNUSABLE where an index of this folder could not be put there. */
export async function takesIndex(dir: string, backend: string): Promise<void> {
  const alias = aliasOf(dir);
  const engine = new Engine(addressFrom(backend));
  try {
    await engine.check();
    await ownAliased(engine, alias);
  } finally {
    await engine.close();
  }
}

/** The generations that an alias points to. Throws BACKEND_UNUSABLE where something else has its name. */
async function ownAliased(engine: Engine, alias: string): Promise<string[]> {
  const before = await aliasedBy(engine, alias);
  for (const index of before) {
    if (await isOurs(engine, index)) continue;
    throw new PragauraError(
      'BACKEND_UNUSABLE',
      `The alias "${alias}" at ${engine.shown} points to "${index}", which has another mapping: it is none of PragAURA.`,
      { hint: 'Give the index another name with --out.' },
    );
  }
  return before;
}

async function isComplete(engine: Engine, index: string): Promise<boolean> {
  const { status } = await engine.ask({ method: 'HEAD', path: `/${index}`, allowed: 404 });
  if (status === 404) return false;
  return metaOf(engine, index).then(
    () => true,
    (error: unknown) => {
      // Left behind by a run that was killed: nothing points to it.
      if (PragauraError.isInstance(error) && error.code === 'BACKEND_UNUSABLE') return false;
      throw error;
    },
  );
}

interface Piece {
  id: string;
  bytes: string;
}

/** What the mapping says, and the documents that hold what is read at opening. */
function described(folder: CorpusIndex): { meta: Meta; pieces: Piece[] } {
  const segments = openingSegments(folder);
  const pieces = segments.flatMap(({ name, bytes }) =>
    Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, part) => ({
      id: segmentId(name, part),
      bytes: Buffer.from(bytes.subarray(part * PIECE, (part + 1) * PIECE)).toString('base64'),
    })),
  );
  const meta: Meta = {
    schema: SCHEMA,
    manifest: folder.manifest,
    fields: totalsOf(folder),
    segments: Object.fromEntries(
      segments.map(({ name, bytes, sha256 }) => [name, { parts: Math.ceil(bytes.length / PIECE), sha256 }]),
    ),
    complete: false,
  };
  return { meta, pieces };
}

function* documentsOf(folder: CorpusIndex, pieces: readonly Piece[], onPassage?: (sent: number) => void) {
  yield* pieces;
  const { passages, vectors, dimension } = folder;
  for (const [ordinal, passage] of passages.entries()) {
    const { kinds, ...terms } = termsOf(passage);
    const parts = folder.partsOf(ordinal);
    const { entries, headings } = keysOf(passages, ordinal, parts);
    const vector = vectors.slice(ordinal * dimension, (ordinal + 1) * dimension);
    yield {
      id: passageId(ordinal),
      ordinal,
      docId: passage.docId,
      source: passage.source,
      genre: passage.genre,
      kinds: bitsOf(kinds),
      entries: [...entries],
      headings: [...headings],
      terms: Object.fromEntries(
        FIELDS.flatMap((name) => (terms[name].length === 0 ? [] : [[name, terms[name].join(' ')]])),
      ),
      vector: [...vector],
      stored: JSON.stringify({ passage, parts }),
      floats: Buffer.from(vector.buffer).toString('base64'),
    };
    onPassage?.(ordinal + 1);
  }
}

/** Sends in batches, as fast as the engine takes them. */
async function sendAll(
  engine: Engine,
  index: string,
  folder: CorpusIndex,
  pieces: readonly Piece[],
  {
    onPassage,
    signal,
  }: { onPassage?: ((sent: number) => void) | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  let refused: unknown;
  waitForRoom(engine.client, signal);
  const sending = engine.client.helpers.bulk({
    datasource: Readable.from(documentsOf(folder, pieces, onPassage)),
    onDocument: (document) => ({ index: { _index: index, _id: (document as Piece).id } }),
    onDrop: ({ error }) => {
      refused ??= error;
    },
    flushBytes: BULK.bytes,
    concurrency: 1,
    retries: BULK.retries,
    wait: BULK.waitMs,
  });
  const stop = () => {
    sending.abort();
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const { failed } = await sending;
    signal?.throwIfAborted();
    if (failed > 0) {
      throw engine.unavailable(
        `The OpenSearch at ${engine.shown} refused ${failed} documents: ${JSON.stringify(refused).slice(0, 300)}`,
        'The index there is as it was. See its disks and its log, and run the command again.',
      );
    }
  } catch (error) {
    if (signal?.aborted)
      throw new PragauraError('ABORTED', 'The index was not put there.', { cause: signal.reason });
    throw PragauraError.isInstance(error) ? error : engine.typed(error);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The client's helper sends single documents again where an engine has no room for them, but no whole request: this does, after pauses that grow, until `signal` fires. */
function waitForRoom(client: Client, signal: AbortSignal | undefined): void {
  const bulk = client.bulk.bind(client) as Bulk;
  const patient: Bulk = (params, options, done) => {
    const send = (tries: number, waitMs: number) =>
      bulk({ ...params }, options, (error, reply) => {
        const isFull = (error as { statusCode?: number } | null)?.statusCode === 429;
        if (!isFull || tries === 0) return done(error, reply);
        sleep(waitMs, undefined, signal && { signal }).then(
          () => send(tries - 1, 2 * waitMs),
          () => done(error, reply),
        );
      });
    return send(BULK.retries, BULK.waitMs);
  };
  Object.assign(client, { bulk: patient });
}

/** How the helper calls it. */
type Bulk = (params: object, options: object, done: (error: unknown, reply: object) => void) => unknown;

async function checkCount(engine: Engine, index: string, wanted: number): Promise<void> {
  const { body } = await engine.ask<{ count: number; _shards: { failed: number } }>({
    method: 'GET',
    path: `/${index}/_count`,
  });
  if (body.count === wanted && body._shards.failed === 0) return;
  throw engine.unavailable(
    `The OpenSearch at ${engine.shown} has ${body.count} of ${wanted} documents.`,
    'The index there is as it was. Run the command again.',
  );
}

/** What is read at opening has its hashes; of the passages the first, the middle and the last are compared, and some are asked for. */
async function checkReadBack(
  engine: Engine,
  index: string,
  folder: CorpusIndex,
  opened: { alias: string; version: string },
): Promise<void> {
  const backend = await openGeneration(engine, index, opened);
  if ((await isCopyOf(backend, folder)) && (await answersAs(backend, folder))) return;
  throw engine.unavailable(
    `What the OpenSearch at ${engine.shown} holds is not what was sent, or is not found.`,
    'The index there is as it was. Run the command again.',
  );
}

/** Points the alias to the generation and nothing else, in one step; removes generations but it and the one before. */
async function pointTo(
  engine: Engine,
  alias: string,
  index: string,
  before: readonly string[],
): Promise<string[]> {
  const others = before.filter((one) => one !== index);
  const actions = [
    ...others.map((one) => ({ remove: { index: one, alias, must_exist: true } })),
    { add: { index, alias } },
  ];
  await engine.ask({ method: 'POST', path: '/_aliases', body: { actions }, writes: true });
  if (others.length === 0) return [];
  const { body } = await engine.ask<Record<string, unknown>>({
    method: 'GET',
    path: `/${generationsOf(alias)}/_alias`,
  });
  const old = Object.keys(body).filter((one) => one !== index && !others.includes(one));
  for (const one of old) await engine.ask({ method: 'DELETE', path: `/${one}`, allowed: 404, writes: true });
  return old;
}
