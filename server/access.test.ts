/** What callers are told who may not read all of a collection: over real sockets, with tokens, by every door. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutClocks } from '../common/index.ts';
import { type Access, labelsFrom, parsePolicy } from '../governance/index.ts';
import { people } from '../governance/testing/people.ts';
import { openRouter, type Router } from '../router/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import type { Server } from './server.ts';
import { testServer } from './testing/serve.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-access-'));
const at = (name: string) => path.join(folder, name);
const index = at('index');
const queries = readFileSync(path.join(import.meta.dirname, '../router/demo/queries.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { id: string; query: string });
const POLICY = `
@id("handbook") permit (principal, action == Action::"read", resource is Document)
  when { resource.tags.contains("open") };
@id("staff") permit (principal in Role::"staff", action in [Action::"read", Action::"apply"], resource is Document);
`;
const access: Access = {
  policy: parsePolicy(POLICY, 'policy.cedar'),
  labels: labelsFrom(
    { schema: 'pragaura.labels/1', documents: { 'documents/handbook/': { tags: ['open'] } } },
    'labels.json',
  ),
};
const isOpen = ({ docId }: { docId: string }) => docId.startsWith('documents/handbook/');
const known = people(folder);
const audit = { file: at('audit.log'), key: at('audit.key') };

let scorers: Scorers;
let server: Server;
let seen: Router;
let all: Router;
const headersOf = async (subject: string, roles: string[]) => {
  const token = await known.tokenOf(subject, roles);
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
};
let guest: Record<string, string>;
let staff: Record<string, string>;

beforeAll(async () => {
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  server = await testServer({
    collections: [{ name: 'demo', index, scorers }],
    scorers,
    access,
    audit,
    principals: known.file,
    writable: {},
    log: openLog({ level: 'error', write: () => {} }),
  });
  seen = await openRouter({ index, scorers, readable: isOpen });
  all = await openRouter({ index, scorers });
  guest = await headersOf('gus', []);
  staff = await headersOf('sam', ['staff']);
});
afterAll(async () => {
  await server?.close(0);
  await seen?.close();
  await all?.close();
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (where: string, headers: Record<string, string>) => fetch(`${server.url}${where}`, { headers });
const post = (where: string, headers: Record<string, string>, body: unknown) =>
  fetch(`${server.url}${where}`, { method: 'POST', headers, body: JSON.stringify(body) });
const told = (text: string) => {
  const { id: _, ...decision } = JSON.parse(withoutClocks(text));
  return decision;
};

describe('a caller', () => {
  it('is told what an index of the documents he may read would tell him, whoever asks beside him', async () => {
    for (const { id, query } of queries.slice(0, 25)) {
      const [mine, theirs] = await Promise.all([
        post('/v1/decisions', guest, { id, query }).then((response) => response.text()),
        post('/v1/decisions', staff, { id, query }).then((response) => response.text()),
      ]);
      expect(told(mine)).toEqual(told(JSON.stringify(await seen.route({ id, query }))));
      expect(told(theirs)).toEqual(told(JSON.stringify(await all.route({ id, query }))));
    }
  });

  it('finds no document that he may not read, by name, in lists, searches and the state of a collection', async () => {
    const hidden = all.documents.find((document) => !isOpen(document))!.docId;
    const list = async (headers: Record<string, string>) =>
      (await (await get('/v1/collections/demo/documents?limit=1000', headers)).json()) as {
        documents: { id: string }[];
      };
    expect((await list(guest)).documents.map(({ id }) => id)).toEqual(
      all.documents.filter(isOpen).map(({ docId }) => docId),
    );
    expect((await list(staff)).documents).toHaveLength(all.documents.length);
    const one = `/v1/collections/demo/documents/${encodeURIComponent(hidden)}`;
    expect((await get(one, guest)).status).toBe(404);
    expect((await get(one, staff)).status).toBe(200);
    const found = await post('/v1/retrieve', guest, { query: hidden, k: 100 });
    expect(found.status).toBe(200);
    expect(await found.text()).not.toContain('documents/decisions');
    const { collections } = (await (await get('/v1/collections', guest)).json()) as {
      collections: { index: string }[];
    };
    expect(collections[0]!.index).toBe(seen.versions.index);
  });

  it('finds none by the Model Context Protocol either', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const options = { requestInit: { headers: { authorization: guest.authorization! } } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), options) as never);
    try {
      const { resources } = await client.listResources();
      expect(resources).toHaveLength(seen.documents.length);
      const hidden = `pragaura://demo/${encodeURIComponent(all.documents.find((each) => !isOpen(each))!.docId)}`;
      await expect(client.readResource({ uri: hidden })).rejects.toThrow('no such document');
    } finally {
      await client.close();
    }
  });

  it('changes nothing that the policy does not let him change, whatever his scopes', async () => {
    const administrator = await headersOf('ada', ['administrator']);
    const put = (headers: Record<string, string>) =>
      fetch(`${server.url}/v1/collections/demo/documents/new.md`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'text/markdown' },
        body: '# New\n\nSomething new.\n',
      });
    expect((await put(administrator)).status).toBe(403);
    expect((await put(await headersOf('eve', ['administrator', 'staff']))).status).toBe(202);
  });

  it('is on the audit log with the version of the policy that it went by', () => {
    const events = readFileSync(audit.file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    const made = events.filter((event) => event?.kind === 'decision.made');
    expect(made.length).toBeGreaterThan(40);
    for (const { detail } of made) expect(detail.versions.policy).toBe(access.policy.version);
  });
});
