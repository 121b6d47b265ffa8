/** Learned defaults over HTTP: learned from real conversations, looked at, forgotten. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { verifyLog } from '../governance/index.ts';
import { indexDocuments } from '../router/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import type { Server, ServerOptions } from './server.ts';
import { keyWith, testServer } from './testing/serve.ts';

const QUESTION = 'How much does the plan cost a year?';
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-defaults-http-'));
const index = path.join(folder, 'index');
const store = path.join(folder, 'defaults.db');
let scorers: Scorers;
let server: Server | null = null;

beforeAll(async () => {
  const documents = path.join(folder, 'documents');
  mkdirSync(documents);
  for (const [name, costs] of [
    ['basic', 20],
    ['gold', 45],
    ['family', 60],
  ]) {
    const text = `# The ${name} plan\n\nThe ${name} plan costs ${costs} euros a year.\n`;
    writeFileSync(path.join(documents, `${name}.md`), text);
  }
  scorers = await openScorers({ threads: 1 });
  await indexDocuments([documents], { out: index, scorers });
});
afterAll(async () => {
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await server?.close(0);
  server = null;
});

async function serve(options: Partial<ServerOptions> = {}, tenant: string | null = 'acme'): Promise<void> {
  const defaults = tenant === null ? {} : { defaults: { store, tenant } };
  const log = openLog({ level: 'silent', write: () => {} });
  const collections = [{ name: 'plans', index, scorers, ...defaults }];
  server = await testServer({ collections, scorers, log, ...options });
}

// biome-ignore lint/suspicious/noExplicitAny: records of several kinds.
async function call(method: string, to: string, body?: object, key?: string): Promise<any> {
  const response = await fetch(`${server!.url}/v1/${to}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { authorization: `Bearer ${key}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}
const DEFAULTS = 'collections/plans/defaults';

/** The question, and an answer to what is asked back. */
async function askAndAnswer(): Promise<void> {
  const asked = await call('POST', 'decisions', { query: QUESTION });
  expect(asked.action).toBe('ASK');
  const history = [
    { role: 'user', text: QUESTION },
    { role: 'assistant', text: asked.clarification.message },
  ];
  await call('POST', 'decisions', { query: 'the gold plan', history });
}

it('shows what was learned and how it came about, and forgets it, on the audit log', async () => {
  const audit = { file: path.join(folder, 'audit'), key: path.join(folder, 'audit.key') };
  await serve({ audit });
  expect(await call('GET', DEFAULTS)).toEqual({ defaults: [] });
  for (let i = 0; i < 5; i++) await askAndAnswer();
  const { defaults } = await call('GET', DEFAULTS);
  expect(defaults).toHaveLength(1);
  expect(defaults[0]).toMatchObject({ tenant: 'acme', gate: 'apply', sampleSize: 5 });
  expect(defaults[0].value).toContain('gold');
  const decision = await call('POST', 'decisions', { query: QUESTION });
  expect(decision).toMatchObject({ action: 'ANSWER', defaults: [{ outcome: 'APPLIED' }] });

  const history = await call('GET', `${DEFAULTS}/${defaults[0].id}`);
  expect(history).toMatchObject({ schema: 'pragaura.default-history/1', default: { id: defaults[0].id } });
  expect(history.votes).toHaveLength(5);
  expect(history.audit.at(-1)).toMatchObject({ kind: 'use', query: decision.id });
  const forgotten = await call('DELETE', `${DEFAULTS}/${defaults[0].id}`);
  expect(forgotten).toEqual({ schema: 'pragaura.forgotten/1', id: defaults[0].id, votes: 5 });
  expect((await call('POST', 'decisions', { query: QUESTION })).action).toBe('ASK');
  expect(await call('DELETE', `${DEFAULTS}/${defaults[0].id}`)).toMatchObject({ status: 404 });
  await server!.close(0);
  server = null;
  expect(await verifyLog(audit.file)).toMatchObject({ verdict: 'whole' });
  expect(readFileSync(audit.file, 'utf8')).toContain('"kind":"default.forgotten"');
});

it('are those of the tenant that is served, for those who operate', async () => {
  await serve();
  await askAndAnswer();
  const [{ id }] = (await call('GET', DEFAULTS)).defaults;
  await server!.close(0);
  const keys = path.join(folder, 'keys.json');
  const asker = await keyWith(keys, ['decide', 'write']);
  const operator = await keyWith(keys, ['operate']);
  await serve({ keys }, 'others');
  expect(await call('GET', DEFAULTS, undefined, asker)).toMatchObject({ status: 403 });
  expect(await call('GET', DEFAULTS, undefined, operator)).toEqual({ defaults: [] });
  for (const method of ['GET', 'DELETE']) {
    expect(await call(method, `${DEFAULTS}/${id}`, undefined, operator)).toMatchObject({ status: 404 });
  }
});

it('are not there where none are learned', async () => {
  await serve({}, null);
  const none = { status: 404, hint: expect.stringContaining('--defaults') };
  expect(await call('GET', DEFAULTS)).toMatchObject(none);
});
