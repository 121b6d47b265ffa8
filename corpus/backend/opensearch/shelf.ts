import { PragauraError } from '../../../common/index.ts';
import type { Shelf } from '../staging.ts';
import { type Address, addressFrom, aliasOf } from './address.ts';
import { Engine } from './engine.ts';

const SCHEMA = 'pragaura.staged/1';
/** Names that one answer lists. */
const PAGE = 5_000;

/** The shelf of an index in OpenSearch, which is made where there is none. Throws USAGE, BACKEND_UNAVAILABLE and BACKEND_UNUSABLE. */
export async function openOpenSearchShelf(index: string, backend: string): Promise<Shelf> {
  const address = addressFrom(backend);
  const at = `${aliasOf(index)}-staged`;
  const engine = new Engine(address);
  try {
    await engine.check();
    await makeIndex(engine, at, address);
  } catch (error) {
    await engine.close();
    throw error;
  }
  const change = async (lines: readonly object[]) => {
    const { body } = await engine.ask<{ errors: boolean; items: Record<string, { error?: object }>[] }>({
      method: 'POST',
      path: '/_bulk',
      lines,
      writes: true,
    });
    if (!body.errors) return;
    const refused = body.items
      .flatMap((item) => Object.values(item))
      .find(({ error }) => error !== undefined);
    throw engine.refused(refused?.error);
  };
  return {
    async get(names) {
      const { body } = await engine.ask<{
        docs: { _id: string; _source?: { bytes: string }; error?: object }[];
      }>({
        method: 'POST',
        path: `/${at}/_mget`,
        body: { ids: names },
      });
      const failed = body.docs.find(({ error }) => error !== undefined);
      if (failed !== undefined) throw engine.notWhole(JSON.stringify(failed.error).slice(0, 300));
      return new Map(
        body.docs.flatMap(({ _id, _source }) =>
          _source === undefined ? [] : [[_id, Buffer.from(_source.bytes, 'base64')] as const],
        ),
      );
    },
    put: (values) =>
      change(
        [...values].flatMap(([_id, bytes]) => [
          { index: { _index: at, _id } },
          { bytes: bytes.toString('base64') },
        ]),
      ),
    names: () => namesIn(engine, at),
    remove: (names) => change(names.map((_id) => ({ delete: { _index: at, _id } }))),
    close: () => engine.close(),
  };
}

async function makeIndex(engine: Engine, at: string, { shards, replicas }: Address): Promise<void> {
  const { status, body } = await engine.ask<Record<string, { mappings?: { _meta?: { schema?: unknown } } }>>({
    method: 'GET',
    path: `/${at}/_mapping`,
    allowed: 404,
  });
  if (status !== 404) {
    if (body[at]?.mappings?._meta?.schema === SCHEMA) return;
    throw new PragauraError('BACKEND_UNUSABLE', `"${at}" at ${engine.shown} is an index of something else.`, {
      hint: 'Give the index another name with --out.',
    });
  }
  // Whoever comes second at the same moment finds it made.
  await engine.ask({
    method: 'PUT',
    path: `/${at}`,
    body: {
      settings: {
        number_of_shards: shards,
        ...(replicas === null ? { auto_expand_replicas: '0-1' } : { number_of_replicas: replicas }),
        refresh_interval: '-1',
      },
      mappings: {
        dynamic: 'strict',
        _meta: { schema: SCHEMA },
        properties: { bytes: { type: 'keyword', index: false, doc_values: false } },
      },
    },
    allowed: 400,
    writes: true,
  });
}

/** All ids of an index, whole: a shard that does not answer is an error. */
async function namesIn(engine: Engine, at: string): Promise<string[]> {
  await engine.ask({ method: 'POST', path: `/${at}/_refresh`, writes: true });
  interface Page {
    _scroll_id: string;
    timed_out: boolean;
    _shards: { total: number; successful: number };
    hits: { hits: { _id: string }[] };
  }
  let { body: page } = await engine.ask<Page>({
    method: 'POST',
    path: `/${at}/_search`,
    query: { scroll: '1m' },
    body: { size: PAGE, _source: false, sort: ['_doc'] },
  });
  const names: string[] = [];
  for (;;) {
    const { timed_out: late, _shards, hits } = page;
    if (late || _shards.successful < _shards.total)
      throw engine.notWhole('a shard did not list what is staged');
    if (hits.hits.length === 0) break;
    names.push(...hits.hits.map(({ _id }) => _id));
    const body = { scroll: '1m', scroll_id: page._scroll_id };
    ({ body: page } = await engine.ask<Page>({ method: 'POST', path: '/_search/scroll', body }));
  }
  const body = { scroll_id: page._scroll_id };
  await engine.ask({ method: 'DELETE', path: '/_search/scroll', body, allowed: 404, writes: true });
  return names;
}
