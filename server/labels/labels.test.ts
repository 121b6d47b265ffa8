/** Labels over HTTP: what is kept, what is refused, and whether calibrate reads it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { documentsForRisk } from '../../calibration/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import type { Server, ServerOptions } from '../server.ts';
import { keyWith, testServer } from '../testing/serve.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-labels-'));
const index = path.join(folder, 'index');
let scorers: Scorers;
let server: Server | null = null;
let labels: string;

beforeAll(async () => {
  await demoIndex(index);
  scorers = await openScorers({ threads: 1 });
});
afterAll(async () => {
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  labels = mkdtempSync(path.join(folder, 'labels-'));
});
afterEach(async () => {
  await server?.close(0);
  server = null;
});

async function serve(options: Partial<ServerOptions> = {}): Promise<void> {
  const log = openLog({ level: 'silent', write: () => {} });
  server = await testServer({
    ...{ collections: [{ name: 'demo', index, scorers }], scorers, log, labels },
    ...options,
  });
}

const at = (collection = 'demo') => `${server!.url}/v1/collections/${collection}/labels`;
const post = (label: unknown, headers: Record<string, string> = {}) =>
  fetch(at(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(label),
  });
const label = (id: string, group: string) => ({ id, query: `What of ${id}?`, answers: ['x'], group });

it('are in the file when they are answered, many at once, and counted by document', async () => {
  await serve();
  await Promise.all(Array.from({ length: 20 }, (_, i) => post(label(`q${i}`, `d${i % 4}`))));
  const kept = readFileSync(path.join(labels, 'demo.ndjson'), 'utf8').trimEnd().split('\n');
  expect(kept.map((line) => JSON.parse(line).id).sort()).toEqual(
    Array.from({ length: 20 }, (_, i) => `q${i}`).sort(),
  );
  const state = await (await fetch(at())).json();
  expect(state).toEqual({
    labels: 20,
    documents: 4,
    promises: [0.3, 0.2, 0.1].map((risk) => ({ risk, documents: documentsForRisk(String(risk)) })),
  });
  await post(label('q0', 'd9'));
  expect(await (await fetch(at())).json()).toMatchObject({ labels: 20, documents: 5 });
});

it('need as many documents as a test without errors does, of the part that is kept for thresholds', () => {
  for (const level of ['0.3', '0.2', '0.1', '0.05']) {
    const part = 0.4 * documentsForRisk(level);
    expect((1 - Number(level)) ** part).toBeLessThanOrEqual(0.1);
    expect((1 - Number(level)) ** (part - 1.4)).toBeGreaterThan(0.1);
  }
});

it('go on where an earlier server stopped', async () => {
  writeFileSync(path.join(labels, 'demo.ndjson'), `${JSON.stringify(label('a', 'd1'))}\n`);
  await serve();
  expect(await (await post(label('b', 'd2'))).json()).toMatchObject({ labels: 2, documents: 2 });
});

it.each([
  ['what is no label', { id: 'a', nonsense: 1 }],
  ['one without an id', { query: 'x', answers: ['y'], group: 'd' }],
  ['one that contradicts itself', { id: 'a', query: 'x', answers: ['y'], answerable: false, group: 'd' }],
  ['one that names no document', { id: 'a', query: 'x', answers: ['y'] }],
])('refuse %s, and keep nothing of it', async (_, wrong) => {
  await serve();
  const response = await post(wrong);
  expect([response.status, (await response.json()).code]).toEqual([400, 'INVALID_INPUT']);
  expect(existsSync(path.join(labels, 'demo.ndjson'))).toBe(false);
});

it('are taken from those who may label, where they are kept at all', async () => {
  const keys = path.join(labels, 'keys.json');
  const reader = await keyWith(keys, ['decide', 'write'], ['demo']);
  const labeller = await keyWith(keys, ['label'], ['demo']);
  await serve({ keys });
  const status = async (key: string) =>
    (await post(label('a', 'd'), { authorization: `Bearer ${key}` })).status;
  expect([await status(reader), await status(labeller)]).toEqual([403, 200]);
  const none = await fetch(at('none'), { headers: { authorization: `Bearer ${labeller}` } });
  expect(none.status).toBe(404);
  await server!.close(0);
  await serve({ labels: undefined });
  expect((await post(label('a', 'd'))).status).toBe(403);
});

it('that cannot be written are not said to be kept, and the next ones are', async () => {
  await serve();
  mkdirSync(path.join(labels, 'demo.ndjson'));
  expect((await post(label('a', 'd'))).status).toBe(503);
  rmSync(path.join(labels, 'demo.ndjson'), { recursive: true });
  expect((await post(label('b', 'd'))).status).toBe(200);
});

it('of a file that is damaged keep the server from starting', async () => {
  writeFileSync(path.join(labels, 'demo.ndjson'), '{\n');
  await expect(serve()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});
