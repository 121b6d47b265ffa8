/** What is kept of what people ask about, over HTTP: people with tokens, an application with a key. */
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

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-queries-http-'));
const at = (name: string) => path.join(folder, name);
const { file: principals, tokenOf } = people(folder);
let scorers: Scorers;
let server: Server;
let app: string;

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  const defaults = { store: at('defaults.db'), tenant: 'acme', settings: { firstDefault: 3 } };
  return testServer({
    collections: [{ name: 'plans', index: at('index'), scorers, defaults }],
    scorers,
    log: openLog({ level: 'silent', write: () => {} }),
    principals,
    keys: at('keys.json'),
    ...options,
  });
}

beforeAll(async () => {
  mkdirSync(at('docs'));
  for (const [name, costs] of Object.entries({ basic: 20, gold: 45, family: 60 })) {
    const text = `# The ${name} plan\n\nThe ${name} plan costs ${costs} euros a year.\n`;
    writeFileSync(at(`docs/${name}.md`), text);
  }
  scorers = await openScorers({ threads: 1 });
  await indexDocuments([at('docs')], { out: at('index'), scorers });
  app = await keyWith(at('keys.json'), ['decide']);
  server = await serve({
    queryLog: { file: at('queries.db'), create: true },
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
const ask = (bearer: string, query: string) => call(bearer, 'POST', 'decisions', { query });

it('is of those who agree, theirs to see, proposed from to nobody else, and theirs to erase', async () => {
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
  const named = 'How much does the gold plan cost a year?';
  await ask(ann, named);
  expect(await call(ann, 'GET', 'queries')).toMatchObject({ status: 200, consent: null, queries: [] });
  const agreed = await call(ann, 'PUT', 'queries');
  expect(Date.parse(agreed.consent)).toBeLessThanOrEqual(Date.now());
  for (const bearer of [ann, bob, app, ann, bob, app, ann]) await ask(bearer, named);
  const { queries } = await call(ann, 'GET', 'queries');
  expect(queries).toHaveLength(3);
  for (const { things } of queries) expect(things).toContain('gold plan');
  expect(await call(bob, 'GET', 'queries')).toMatchObject({ consent: null, queries: [] });

  const open = 'How much does the plan cost a year?';
  const [mine, theirs] = [await ask(ann, open), await ask(bob, open)];
  expect(mine.clarification.message).toMatch(/^Most often "gold plan" was meant: 3 of 3 earlier questions/);
  expect(theirs.action).toBe('ASK');
  expect(theirs.clarification.message).not.toContain('earlier questions');

  expect(await call(ann, 'DELETE', 'queries')).toMatchObject({ status: 200, queries: 4 });
  expect(await call(ann, 'GET', 'queries')).toMatchObject({ consent: null, queries: [] });
  expect((await ask(ann, open)).clarification.message).not.toContain('earlier questions');
});

it('goes when all that is remembered of a person does', async () => {
  const cy = await tokenOf('cy');
  await call(cy, 'PUT', 'queries');
  await ask(cy, 'How much does the basic plan cost a year?');
  expect((await call(cy, 'GET', 'queries')).queries).toHaveLength(1);
  await call(cy, 'DELETE', 'memory');
  expect(await call(cy, 'GET', 'queries')).toMatchObject({ consent: null, queries: [] });
});

it('is of people: a key is none, and a server without a log says so', async () => {
  expect(await call(app, 'PUT', 'queries')).toMatchObject({ status: 403, code: 'NOT_PERMITTED' });
  const without = await serve();
  try {
    const answer = await call(await tokenOf('ann'), 'PUT', 'queries', undefined, without);
    expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  } finally {
    await without.close(0);
  }
});

it('is on the audit log before it happens, without its words', () => {
  const text = readFileSync(at('audit.log'), 'utf8');
  for (const verb of ['read', 'consent', 'erase']) expect(text).toContain(`"queries.${verb}"`);
  expect(text).not.toContain('gold plan');
});
