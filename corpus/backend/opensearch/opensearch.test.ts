/** One engine for all: it takes a while to start. */
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRouter, type Router } from '../../../router/index.ts';
import { buildIndex } from '../../build-index.ts';
import { indexDocuments } from '../../index-documents.ts';
import { openIndex } from '../../store/open-index.ts';
import { options, Scratch, vectorFor } from '../../testing/support.ts';
import { openBackend, openStaging, publish } from '../open.ts';
import { conforms } from '../testing/conformance.ts';
import { expectSameDecisions, FILES, QUESTIONS } from '../testing/decisions.ts';
import { stages } from '../testing/staging.ts';
import { type RunningEngine, startOpenSearch } from '../testing/start-opensearch.ts';

let engine: RunningEngine;
const scratch = new Scratch();
beforeAll(async () => {
  engine = await startOpenSearch();
});
afterAll(async () => {
  await engine?.stop();
  scratch.clear();
});

/** A request to the engine itself. */
async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${engine.url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** The folder of an index with this name. */
async function indexed(name: string, files: Record<string, string>): Promise<string> {
  const dir = join(scratch.folder(), '..', name);
  await buildIndex([scratch.folder(files)], options(dir));
  return dir;
}

const indexesOf = async (alias: string) => Object.keys(await ask('GET', `/${alias}-generation-*`)).sort();
const VALVE = { 'a.md': '# Valve\n\nA valve is a device that controls the flow of water.\n' };

conforms('opensearch', async (dir) => {
  await publish(dir, `${engine.backend}?shards=3&replicas=0`);
  return openBackend(dir, { backend: engine.backend });
});

stages('OpenSearch', () => engine.backend);

describe('generations', () => {
  it('are written once, and one stays beside the current one', async () => {
    const dir = await indexed('turns', VALVE);
    const first = await publish(dir, engine.backend);
    expect(first.written).toBe(true);
    expect(await publish(dir, engine.backend)).toEqual({ index: first.index, written: false, removed: [] });
    const old = await openBackend('turns', { backend: engine.backend });
    const folder = scratch.folder({ 'b.md': '# Pump\n\nA pump moves water.\n' });
    await buildIndex([folder], options(dir, { keepMissing: true }));
    const second = await publish(dir, engine.backend);
    expect(await indexesOf('turns')).toEqual([first.index, second.index].sort());
    expect(Object.keys(await ask('GET', '/_alias/turns'))).toEqual([second.index]);
    // Whoever had the one before open goes on with it.
    expect(await old.passages([0])).toHaveLength(1);
    expect(old.documents).toHaveLength(1);
    expect(await old.health()).toMatchObject({ generation: 'superseded' });
    const now = await openBackend('turns', { backend: engine.backend });
    expect(now.documents.map(({ docId }) => docId)).toEqual(['docs/a.md', 'docs/b.md']);
    await buildIndex([folder], options(dir, { remove: ['docs/a.md'] }));
    const third = await publish(dir, engine.backend);
    expect(third.removed).toEqual([first.index]);
    expect(await indexesOf('turns')).toEqual([second.index, third.index].sort());
    await expect(old.search([{ vector: vectorFor('x'), k: 2 }])).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
    expect(await old.health()).toMatchObject({ generation: 'gone' });
    expect(await now.health()).toMatchObject({ generation: 'superseded' });
    await Promise.all([old.close(), now.close()]);
  });

  it('have hashes of their own, for calibrations are of what they were made with', async () => {
    const dir = await indexed('hashes', VALVE);
    await publish(dir, engine.backend);
    const [backend, folder] = [
      await openBackend('hashes', { backend: engine.backend }),
      await openIndex(dir),
    ];
    expect(backend.manifest.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(backend.manifest.hash).not.toBe(folder.manifest.hash);
    await backend.close();
  });

  it('that were left half-written are written anew, and nothing points to them before', async () => {
    const dir = await indexed('half', VALVE);
    const { index } = await publish(dir, engine.backend);
    const { [index]: there } = (await ask('GET', `/${index}/_mapping`)) as Record<
      string,
      { mappings: { _meta: object } }
    >;
    await ask('PUT', `/${index}/_mapping`, { _meta: { ...there!.mappings._meta, complete: false } });
    await ask('POST', `/${index}/_delete_by_query?refresh=true`, { query: { exists: { field: 'ordinal' } } });
    await expect(openBackend('half', { backend: engine.backend })).rejects.toMatchObject({
      code: 'BACKEND_UNUSABLE',
      message: expect.stringContaining('was never finished'),
    });
    expect(await publish(dir, engine.backend)).toMatchObject({ index, written: true });
    const backend = await openBackend('half', { backend: engine.backend });
    expect(await backend.passages([0])).toHaveLength(1);
    await backend.close();
  });

  it('are not read where a passage or a piece of them is missing', async () => {
    const dir = await indexed('torn', VALVE);
    const { index } = await publish(dir, engine.backend);
    const backend = await openBackend('torn', { backend: engine.backend });
    await ask('DELETE', `/${index}/_doc/p0?refresh=true`);
    await expect(backend.passages([0])).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await backend.close();
    const id = encodeURIComponent('s0/postings.text.terms');
    await ask('PUT', `/${index}/_doc/${id}?refresh=true`, { bytes: 'AAAA' });
    await expect(openBackend('torn', { backend: engine.backend })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('postings.text.terms is not what was written'),
    });
  });
});

describe('what does not fit', () => {
  const open = (name: string, backend = engine.backend) => openBackend(name, { backend });

  it.each<[string, string]>([
    ['another engine', 'solr=http://127.0.0.1:1'],
    ['no engine', 'http://127.0.0.1:1'],
    ['no URL', 'opensearch=nowhere'],
    ['another scheme', 'opensearch=ftp://127.0.0.1'],
    ['an index in the URL', 'opensearch=http://127.0.0.1:1/handbook'],
    ['an unknown parameter', 'opensearch=http://127.0.0.1:1?colour=red'],
    ['no number of shards', 'opensearch=http://127.0.0.1:1?shards=0'],
    ['one of several that is none', 'opensearch=http://127.0.0.1:1,nowhere'],
    ['parameters of one of several', 'opensearch=http://127.0.0.1:1?shards=2,http://127.0.0.1:2'],
    ['the same twice', 'opensearch=http://127.0.0.1:1,http://127.0.0.1:1'],
  ])('in the option is told: %s', async (_, backend) => {
    await expect(open('a', backend)).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('opensearch=http'),
    });
  });

  it('a name that OpenSearch cannot have, what an engine cannot do', async () => {
    await expect(open('Hand Book')).rejects.toMatchObject({ code: 'USAGE' });
    const { backend } = engine;
    await expect(openBackend('a', { backend, readable: () => true })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(openBackend('a', { backend, asOf: '2020-01-01' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('no engine, and its credentials are not told', async () => {
    const failure = await open('a', 'opensearch=http://me:secret@127.0.0.1:1').catch((error) => error);
    expect(failure).toMatchObject({ code: 'BACKEND_UNAVAILABLE', hint: expect.stringContaining('Start it') });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('no index of the name', async () => {
    await expect(open('nowhere')).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      hint: expect.stringContaining('--out nowhere --backend'),
    });
  });

  it('an index of something else under the name, or behind the alias', async () => {
    await ask('PUT', '/foreign');
    const dir = await indexed('foreign', VALVE);
    const refusal = { code: 'BACKEND_UNUSABLE', message: expect.stringContaining('something else') };
    await expect(open('foreign')).rejects.toMatchObject(refusal);
    await expect(publish(dir, engine.backend)).rejects.toMatchObject(refusal);
    await ask('PUT', '/other-things', { aliases: { aliased: {} } });
    const mapping = { code: 'BACKEND_UNUSABLE', message: expect.stringContaining('another mapping') };
    await expect(open('aliased')).rejects.toMatchObject(mapping);
    await expect(publish(await indexed('aliased', VALVE), engine.backend)).rejects.toMatchObject(mapping);
    expect(await indexesOf('foreign')).toEqual([]);
  });

  it('an alias that points to two indexes, until it is written again', async () => {
    const dir = await indexed('two', VALVE);
    const { index } = await publish(dir, engine.backend);
    await buildIndex(
      [scratch.folder({ 'b.md': '# B\n\nA pump moves water.\n' })],
      options(dir, { keepMissing: true }),
    );
    const second = await publish(dir, engine.backend);
    await ask('POST', '/_aliases', { actions: [{ add: { index, alias: 'two' } }] });
    await expect(open('two')).rejects.toMatchObject({
      code: 'BACKEND_UNUSABLE',
      message: expect.stringContaining(index),
    });
    await publish(dir, engine.backend);
    expect(Object.keys(await ask('GET', '/_alias/two'))).toEqual([second.index]);
  });

  it('a cluster that takes no writes: what was there stays', async () => {
    const dir = await indexed('blocked', VALVE);
    const { index } = await publish(dir, engine.backend);
    await buildIndex(
      [scratch.folder({ 'b.md': '# B\n\nA pump moves water.\n' })],
      options(dir, { keepMissing: true }),
    );
    const staging = await openStaging('blocked', engine.backend);
    const blocked = {
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining('takes no more writes'),
    };
    await ask('PUT', '/_cluster/settings', { persistent: { 'cluster.blocks.read_only_allow_delete': true } });
    try {
      await expect(publish(dir, engine.backend)).rejects.toMatchObject(blocked);
      await expect(staging.write('a'.repeat(64), Buffer.from('a'))).rejects.toMatchObject(blocked);
    } finally {
      await ask('PUT', '/_cluster/settings', {
        persistent: { 'cluster.blocks.read_only_allow_delete': null },
      });
    }
    await staging.write('a'.repeat(64), Buffer.from('a'));
    await staging.close();
    expect(Object.keys(await ask('GET', '/_alias/blocked'))).toEqual([index]);
    expect(await publish(dir, engine.backend)).toMatchObject({ written: true });
  });

  it('something else where documents are staged', async () => {
    await ask('PUT', '/foreign-staged');
    await expect(openStaging('foreign', engine.backend)).rejects.toMatchObject({ code: 'BACKEND_UNUSABLE' });
  });

  it('an index whose vectors are still being made', async () => {
    const dir = join(scratch.folder(), '..', 'pending');
    const text = Array.from(
      { length: 90 },
      (_, i) => `# Part ${i}\n\nValve number ${i} leaks a little.\n`,
    ).join('\n');
    await buildIndex([scratch.folder({ 'a.md': text })], options(dir, { wait: false }));
    await expect(publish(dir, engine.backend)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
    expect(await indexesOf('pending')).toEqual([]);
  });
});

/** The engine behind a door that may turn callers away, or change what it says. */
async function behind(
  change: (asked: IncomingMessage) => { status: number; body: string } | 'hang' | null,
): Promise<{ url: string; door: Server }> {
  const door = createServer((asked, reply) => {
    const changed = change(asked);
    if (changed === 'hang') return;
    if (changed !== null) {
      asked.resume();
      reply.writeHead(changed.status, { 'content-type': 'application/json' }).end(changed.body);
      return;
    }
    const { method, headers } = asked;
    const onward = request(`${engine.url}${asked.url}`, { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(reply);
    });
    onward.on('error', () => reply.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((done) => void door.listen(0, '127.0.0.1', done));
  return { url: `127.0.0.1:${(door.address() as { port: number }).port}`, door };
}

describe('an engine behind a door', () => {
  it('wants the right credentials', async () => {
    const wanted = `Basic ${Buffer.from('me:right').toString('base64')}`;
    const { url, door } = await behind(({ headers }) =>
      headers.authorization === wanted ? null : { status: 401, body: '"Unauthorized"' },
    );
    const dir = await indexed('guarded', VALVE);
    await publish(dir, `opensearch=http://me:right@${url}`);
    const backend = await openBackend('guarded', { backend: `opensearch=http://me:right@${url}` });
    expect(await backend.passages([0])).toHaveLength(1);
    expect(backend.name).toBe(`guarded at http://${url}`);
    await backend.close();
    for (const user of ['', 'me:wrong@']) {
      const failure = await openBackend('guarded', { backend: `opensearch=http://${user}${url}` }).catch(
        (error) => error,
      );
      expect(failure).toMatchObject({ code: 'BACKEND_UNUSABLE', message: expect.stringContaining('401') });
      expect(`${failure.message}${failure.hint}`).not.toContain('wrong');
    }
    door.close();
  });

  it.each<[string, string, string, RegExp]>([
    ['is too old', '/', '{"version":{"distribution":"opensearch","number":"2.11.0"}}', /version 2\.11\.0/],
    ['is another one', '/', '{"version":{"number":"8.1.0"}}', /no OpenSearch/],
    ['has no k-NN plugin', '/_cat/plugins', '[]', /no k-NN plugin/],
  ])('is refused where it %s', async (_, path, body, message) => {
    const { url, door } = await behind((asked) =>
      asked.url!.split('?')[0] === path ? { status: 200, body } : null,
    );
    await expect(openBackend('a', { backend: `opensearch=http://${url}` })).rejects.toMatchObject({
      code: 'BACKEND_UNUSABLE',
      message: expect.stringMatching(message),
    });
    door.close();
  });

  it('that has no room for a request gets it again later', async () => {
    let refused = 0;
    const { url, door } = await behind((asked) =>
      asked.url!.startsWith('/_bulk') && refused++ < 2
        ? { status: 429, body: '{"error":{"type":"circuit_breaking_exception","reason":"too large"}}' }
        : null,
    );
    const { written } = await publish(await indexed('crowded', VALVE), `opensearch=http://${url}`);
    expect({ written, refused }).toEqual({ written: true, refused: 3 });
    door.close();
  });

  it('that has no room is not waited for by who was stopped', async () => {
    const stopping = new AbortController();
    const { url, door } = await behind((asked) => {
      if (!asked.url!.startsWith('/_bulk')) return null;
      setImmediate(() => stopping.abort());
      return { status: 429, body: '{"error":{"type":"circuit_breaking_exception","reason":"too large"}}' };
    });
    const dir = await indexed('crowded-still', VALVE);
    const { signal } = stopping;
    await expect(publish(dir, `opensearch=http://${url}`, { signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    door.close();
  });

  it('may hang: whoever asks goes on when his time is over', async () => {
    let hangs = false;
    const { url, door } = await behind(({ url }) => (hangs && url!.includes('_') ? 'hang' : null));
    const dir = await indexed('hanging', VALVE);
    await publish(dir, `opensearch=http://${url}`);
    const backend = await openBackend('hanging', { backend: `opensearch=http://${url}` });
    hangs = true;
    const search = [{ vector: vectorFor('x'), k: 2 }];
    await expect(backend.search(search, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(backend.search(search, { ms: 50 })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await backend.close();
    door.closeAllConnections();
    door.close();
  });

  it('is never taken for one that found nothing when shards fail or time runs out', async () => {
    const dir = await indexed('partial', VALVE);
    await publish(dir, engine.backend);
    const shards = (successful: number, failed: number) => ({ total: 2, successful, failed });
    const answers = [
      { responses: [{ timed_out: true, _shards: shards(2, 0), hits: { hits: [] } }] },
      { responses: [{ timed_out: false, _shards: shards(1, 1), hits: { hits: [] } }] },
      { responses: [{ timed_out: false, _shards: shards(1, 0), hits: { hits: [] } }] },
      { responses: [] },
      { responses: [{ error: { type: 'all_shards', reason: 'failed' }, status: 503 }] },
    ];
    let now: object = {};
    const { url, door } = await behind((asked) =>
      asked.url!.startsWith('/_msearch') ? { status: 200, body: JSON.stringify(now) } : null,
    );
    const backend = await openBackend('partial', { backend: `opensearch=http://${url}` });
    // After five failures it is not asked at all.
    expect(answers.length).toBeLessThanOrEqual(5);
    for (now of answers) {
      await expect(backend.search([{ vector: vectorFor('x'), k: 2 }])).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
        message: expect.stringContaining('did not look at all'),
      });
    }
    await backend.close();
    door.close();
  });
});

describe('a cluster of several nodes', () => {
  it('is read at another one while one is gone, hangs or cannot do it', async () => {
    const dir = await indexed('several', VALVE);
    await publish(dir, engine.backend);
    let ails: 'nothing' | 'busy' | 'hangs' = 'nothing';
    const asked = { ailing: 0, whole: 0 };
    const ailing = await behind((request) => {
      if (request.url!.startsWith('/_msearch')) asked.ailing += 1;
      if (ails === 'hangs') return 'hang';
      return ails === 'busy' ? { status: 429, body: '{"error":{"type":"rejected","reason":"full"}}' } : null;
    });
    const whole = await behind(({ url }) => {
      if (url!.startsWith('/_msearch')) asked.whole += 1;
      return null;
    });
    const backend = await openBackend('several', {
      backend: `opensearch=http://${ailing.url},http://${whole.url}`,
    });
    expect(backend.name).toBe(`several at http://${ailing.url},http://${whole.url}`);
    const search = async () => {
      const [hits] = await backend.search([{ vector: vectorFor('valve'), k: 1 }]);
      expect(hits).toHaveLength(1);
    };
    for (ails of ['nothing', 'busy', 'hangs'] as const) {
      for (const _ of [1, 2]) await search();
    }
    expect(asked.ailing).toBeGreaterThanOrEqual(3);
    ailing.door.closeAllConnections();
    ailing.door.close();
    const before = asked.whole;
    for (const _ of [1, 2, 3, 4]) await search();
    expect(asked.whole).toBe(before + 4);
    await backend.close();
    whole.door.close();
    // Opening needs one of them alone.
    const late = await openBackend('several', {
      backend: `opensearch=http://${ailing.url},${engine.url}`,
    });
    expect(await late.passages([0])).toHaveLength(1);
    await late.close();
  });
});

describe('a router over an engine', () => {
  let dir: string;
  const routers: Router[] = [];

  beforeAll(async () => {
    dir = join(scratch.folder(), '..', 'routed');
    await indexDocuments([scratch.folder(FILES)], { out: dir });
    await publish(dir, engine.backend);
    const embedded = await openRouter({ index: dir });
    routers.push(embedded, await openRouter({ index: 'routed', backend: engine.backend }));
  });
  afterAll(() => Promise.all(routers.map((router) => router.close())));

  it('decides as one over the folder, on a hash of its own', async () => {
    const [embedded, engined] = routers;
    await expectSameDecisions(embedded!, engined!, QUESTIONS);
  });

  it('refuses an index that another embedder made', async () => {
    await publish(await indexed('stranger', VALVE), engine.backend);
    await expect(openRouter({ index: 'stranger', backend: engine.backend })).rejects.toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringContaining('stranger at http'),
    });
  });

  it('abstains for a reason of its own when the engine goes away, and says why to whoever runs it', async () => {
    const said: string[] = [];
    const router = await openRouter({
      index: 'routed',
      backend: engine.backend,
      announce: (message) => void said.push(message),
    });
    routers.push(router);
    await engine.stop();
    const decision = await router.route({ id: 'q', query: QUESTIONS[0]! });
    expect(decision).toMatchObject({
      action: 'ABSTAIN',
      abstention: { reason: 'INDEX_UNAVAILABLE', kind: 'OTHER', suggestions: [] },
      evidence: [],
    });
    expect(said.join()).toContain('does not answer');
    const late = await router.route({ id: 'q', query: QUESTIONS[0]!, deadlineMs: 1 });
    expect(late.abstention?.reason).toBe('DEADLINE_EXCEEDED');
  });
});
