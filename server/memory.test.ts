/** What is remembered of callers, over HTTP: two people with tokens, an application with a key, one server. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { people } from '../governance/testing/people.ts';
import { indexDocuments } from '../router/index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import type { Server, ServerOptions } from './server.ts';
import { callAs, keyWith, testServer } from './testing/serve.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-memory-http-'));
const at = (name: string) => path.join(folder, name);
const { file: principals, tokenOf } = people(folder);
let scorers: Scorers;
let server: Server;
let app: string;

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  return testServer({
    collections: [{ name: 'fees', index: at('index'), scorers }],
    scorers,
    log: openLog({ level: 'silent', write: () => {} }),
    principals,
    keys: at('keys.json'),
    ...options,
  });
}

beforeAll(async () => {
  mkdirSync(at('docs'));
  writeFileSync(
    at('docs/fees.md'),
    '# Fees\n\nThe fee for MSc Physics is 40 crowns a term.\n\nThe fee for Law is 70 crowns a term.\n',
  );
  scorers = await openScorers({ threads: 1 });
  await indexDocuments([at('docs')], { out: at('index'), scorers });
  app = await keyWith(at('keys.json'), ['decide']);
  server = await serve({
    memory: { dir: at('memory') },
    audit: { file: at('audit.log'), key: at('audit.key') },
  });
});
afterAll(async () => {
  await server?.close(0);
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (bearer: string, method: string, to: string, body?: object, own = server) =>
  callAs(own, bearer, method, to, body);

it('is the caller’s to agree to, add to, correct, see and erase, and nobody else’s', async () => {
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
  const fact = { type: 'fact', name: 'programme', value: 'Law' };
  expect(await call(ann, 'GET', 'memory')).toMatchObject({ status: 404 });
  expect(await call(ann, 'POST', 'memory/entries', fact)).toMatchObject({
    status: 403,
    code: 'NOT_PERMITTED',
  });
  expect(await call(ann, 'PUT', 'memory')).toMatchObject({ status: 200, person: 'ann', entries: [] });
  const { id } = await call(ann, 'POST', 'memory/entries', fact);
  expect(await call(ann, 'PUT', `memory/entries/${id}`, { value: 'MSc Physics' })).toMatchObject({
    status: 200,
    value: 'MSc Physics',
  });
  expect(await call(bob, 'GET', 'memory')).toMatchObject({ status: 404 });
  await call(bob, 'PUT', 'memory');
  expect(await call(bob, 'PUT', `memory/entries/${id}`, { value: 'x' })).toMatchObject({ status: 404 });
  expect(await call(bob, 'DELETE', `memory/entries/${id}`)).toMatchObject({ status: 404 });
  expect(await call(bob, 'GET', 'memory')).toMatchObject({ person: 'bob', entries: [] });
  expect(await call(ann, 'POST', 'memory/entries', { ...fact, name: '<b>' })).toMatchObject({ status: 400 });

  const asked = { query: 'What is the fee for my programme?' };
  const [mine, theirs] = await Promise.all([
    call(ann, 'POST', 'decisions', asked),
    call(bob, 'POST', 'decisions', asked),
  ]);
  const typed = await call(bob, 'POST', 'decisions', { query: 'What is the fee for the MSc Physics?' });
  expect(mine.remembered).toEqual([{ word: 'my programme', value: 'MSc Physics' }]);
  expect(mine.answer).toEqual(typed.answer);
  expect(mine.evidence).toEqual(typed.evidence);
  expect(theirs).not.toHaveProperty('remembered');
  expect(JSON.stringify(theirs)).not.toContain('"value":"MSc Physics"');

  expect(await call(ann, 'DELETE', `memory/entries/${id}`)).toMatchObject({ status: 200, erased: true });
  expect(await call(ann, 'POST', 'decisions', asked)).not.toHaveProperty('remembered');
  expect(await call(ann, 'DELETE', 'memory')).toMatchObject({ status: 200, erased: true });
  expect(await call(ann, 'DELETE', 'memory')).toMatchObject({ status: 200, erased: false });
  expect(await call(ann, 'GET', 'memory')).toMatchObject({ status: 404 });
});

it('is of people: a key is none, and a server without a memory says so', async () => {
  expect(await call(app, 'PUT', 'memory')).toMatchObject({ status: 403, code: 'NOT_PERMITTED' });
  expect(await call(app, 'POST', 'decisions', { query: 'What is the fee for my programme?' })).toMatchObject({
    status: 200,
  });
  const without = await serve();
  try {
    expect(await call(await tokenOf('ann'), 'PUT', 'memory', undefined, without)).toMatchObject({
      status: 404,
    });
  } finally {
    await without.close(0);
  }
});

it('is on the audit log before it happens, without its words', () => {
  const text = readFileSync(at('audit.log'), 'utf8');
  expect(text).not.toContain('Physics');
  const kinds = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event?.kind as string | undefined);
  for (const kind of [
    'memory.consent',
    'memory.remember',
    'memory.correct',
    'memory.forget',
    'memory.erase',
  ]) {
    expect(kinds).toContain(kind);
  }
});
