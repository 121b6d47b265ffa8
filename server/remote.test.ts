/** A server elsewhere in the place of a router: the same decisions, and what goes wrong in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PragauraRetriever } from '../adapters/langchain.ts';
import { withoutClocks } from '../common/index.ts';
import { openRouter, type Router } from '../router/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import { remoteRouter } from './remote.ts';
import type { Server } from './server.ts';
import { keyWith, testServer } from './testing/serve.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-remote-'));
const QUERIES = [
  'Who leads the platform team?',
  'How often is it calibrated?',
  'Who won the football world cup in 1998?',
];
let scorers: Scorers;
let router: Router;
let server: Server;
let key: string;

beforeAll(async () => {
  const index = path.join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
  const keys = path.join(folder, 'keys.json');
  key = await keyWith(keys, ['decide', 'retrieve']);
  const collections = ['one', 'two'].map((name) => ({ name, index, scorers }));
  const log = openLog({ level: 'silent', write: () => {} });
  server = await testServer({ collections, scorers, log, keys });
});
afterAll(async () => {
  await server?.close(0);
  await router?.close();
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});

const remote = (change: object = {}) => remoteRouter({ url: server.url, key, collection: 'two', ...change });

it('decides and ranks as a router of its own', async () => {
  for (const query of QUERIES) {
    const [there, here] = [await remote().route({ id: 'q', query }), await router.route({ id: 'q', query })];
    expect(withoutClocks(JSON.stringify(there))).toBe(withoutClocks(JSON.stringify(here)));
  }
  const [query] = QUERIES as [string];
  const ranked = await router.rank('reranked', { query }, 3);
  const found = await remote().rank('reranked', { query }, 3);
  expect(found.map(({ passageId, score }) => [passageId, score])).toEqual(
    ranked.map(({ passageId, score }) => [passageId, score]),
  );
  const documents = await new PragauraRetriever({ router: remote(), k: 3 }).invoke(query);
  expect(documents.map(({ id }) => id)).toEqual(ranked.map(({ passageId }) => passageId));
});

it.each<[string, object, string]>([
  ['no key', { key: undefined }, 'TOKEN_REFUSED'],
  ['no collection of several', { collection: undefined }, 'INVALID_INPUT'],
  ['a collection that is none', { collection: 'three' }, 'NOT_FOUND'],
  ['nobody there', { url: 'http://127.0.0.1:1' }, 'SERVER_UNAVAILABLE'],
])('says so with %s', async (_, change, code) => {
  await expect(remote(change).route({ id: 'q', query: QUERIES[0]! })).rejects.toMatchObject({ code });
});

it('is cancelled by its caller', async () => {
  const signal = AbortSignal.abort();
  await expect(remote().route({ id: 'q', query: QUERIES[0]! }, { signal })).rejects.toMatchObject({
    code: 'ABORTED',
  });
});

it.each([
  ['no JSON', 200, 'hello'],
  ['a decision of another version', 200, '{"schema":"pragaura.decision/1"}'],
  ['a problem of somebody else', 502, '{"error":"bad gateway"}'],
  ['nothing', 500, ''],
])('does not take %s for an answer', async (_, status, body) => {
  const other = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  await expect(remote({ url }).route({ id: 'q', query: 'x' })).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: expect.stringContaining(url),
  });
  await new Promise((resolve) => other.close(resolve));
});
