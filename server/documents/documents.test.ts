/** Documents over HTTP, by real servers over real indexes: what is accepted gets into the index, whatever happens. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCli } from '../../cli/testing/cli.ts';
import { INBOX, lock, openIndex } from '../../corpus/index.ts';
import { verifyLog } from '../../governance/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openLog } from '../../workers/health/log.ts';
import type { Server, ServerOptions } from '../server.ts';
import { keyWith, testServer } from '../testing/serve.ts';
import { Inbox, type Job } from './inbox.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-documents-'));
const demo = path.join(folder, 'demo');
const LOG = openLog({ level: 'silent', write: () => {} });
const NOTE = '# Kiln\n\nThe kiln of the pottery is fired at 1240 degrees, for nine hours.\n';
const QUESTION = 'At how many degrees is the kiln of the pottery fired?';

let scorers: Scorers;
let index: string;
let open: Server[] = [];

beforeAll(async () => {
  await demoIndex(demo);
  scorers = await openScorers({ threads: 2 });
});
afterAll(async () => {
  await scorers?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  index = mkdtempSync(path.join(folder, 'index-'));
  cpSync(demo, index, { recursive: true });
});
afterEach(async () => {
  await Promise.all(open.map((server) => server.close(0)));
  open = [];
});

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  const collections = [{ name: 'demo', index, scorers }];
  const server = await testServer({ collections, scorers, log: LOG, writable: {}, ...options });
  open.push(server);
  return server;
}

const base = ({ url }: Pick<Server, 'url'>) => `${url}/v1/collections/demo/documents`;
const put = (server: Server, id: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${base(server)}/${encodeURIComponent(id)}`, { method: 'PUT', body: body as string, headers });
const remove = (server: Server, id: string, headers: Record<string, string> = {}) =>
  fetch(`${base(server)}/${encodeURIComponent(id)}`, { method: 'DELETE', headers });
const batch = (server: Server, body: unknown) =>
  fetch(`${base(server)}:batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
// biome-ignore lint/suspicious/noExplicitAny: what a server says is of any shape.
const json = async (response: Response | Promise<Response>): Promise<any> => (await response).json();

async function jobOf(response: Response): Promise<Job> {
  expect(response.status).toBe(202);
  const job = (await response.json()) as Job;
  expect(response.headers.get('location')).toBe(`/v1/jobs/${job.id}`);
  return job;
}

async function follow({ url }: Pick<Server, 'url'>, id: string, until = /done|failed/): Promise<Job> {
  for (;;) {
    const job = (await json(fetch(`${url}/v1/jobs/${id}`))) as Job;
    if (until.test(job.state)) return job;
    await sleep(50);
  }
}

const done = async (server: Server, response: Response | Promise<Response>) =>
  follow(server, (await jobOf(await response)).id);

/** Until a job says that somebody else writes the index. */
const waitsFor = (server: Server, { id }: Job) =>
  expect
    .poll(async () => (await json(fetch(`${server.url}/v1/jobs/${id}`))).trouble, { timeout: 60_000 })
    .toContain('is being written by');

async function decision({ url }: Server, query = QUESTION) {
  return json(
    fetch(`${url}/v1/decisions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    }),
  );
}

async function problem(response: Response | Promise<Response>): Promise<[number, string]> {
  const { status, code } = await json(response);
  return [status, code];
}

const ids = async (server: Server) =>
  (await json(fetch(`${base(server)}?limit=1000`))).documents.map(({ id }: { id: string }) => id) as string[];

describe('documents over HTTP', () => {
  it('are answered from once their job is done, replaced, and gone once they are taken out', async () => {
    const server = await serve();
    expect((await decision(server)).action).not.toBe('ANSWER');
    const before = await ids(server);

    const job = await done(server, put(server, 'shop/kiln.md', NOTE));
    expect(job).toMatchObject({
      collection: 'demo',
      state: 'done',
      put: ['shop/kiln.md'],
      served: true,
      outcome: { documents: before.length + 1, failed: [], leftOut: [] },
    });
    const answer = await decision(server);
    expect(answer).toMatchObject({ action: 'ANSWER', versions: { index: job.outcome!.index } });
    expect(answer.answer.quotes[0].docId ?? answer.evidence[0].docId).toBe('shop/kiln.md');
    expect(await ids(server)).toEqual([...before, 'shop/kiln.md'].sort());
    const read = await json(fetch(`${base(server)}/shop%2Fkiln.md`));
    expect(read).toMatchObject({ id: 'shop/kiln.md', source: 'shop/kiln.md' });
    expect(read.passages.map(({ text }: { text: string }) => text).join('\n')).toContain('1240 degrees');

    await done(server, put(server, 'shop/kiln.md', NOTE.replace('1240', '1180')));
    expect((await decision(server)).answer.text).toContain('1180');

    expect(await done(server, remove(server, 'shop/kiln.md'))).toMatchObject({
      state: 'done',
      remove: ['shop/kiln.md'],
    });
    expect(await ids(server)).toEqual(before);
    expect((await fetch(`${base(server)}/shop%2Fkiln.md`)).status).toBe(404);
    expect((await openIndex(index)).manifest.hash).toBe((await openIndex(demo)).manifest.hash);
  });

  it('come and go by one job, and what cannot be read is named while the rest is taken', async () => {
    const server = await serve();
    const [first] = await ids(server);
    const job = await done(
      server,
      batch(server, {
        put: [
          { id: 'shop/kiln.md', text: NOTE },
          { id: 'shop/plan.pdf', base64: Buffer.from('no pdf').toString('base64') },
          { id: 'shop/oven.txt', text: 'The oven is lit at five.' },
        ],
        remove: [first],
      }),
    );
    expect(job).toMatchObject({ state: 'done', outcome: { failed: [{ id: 'shop/plan.pdf' }] } });
    const now = await ids(server);
    expect(now).toEqual(expect.arrayContaining(['shop/kiln.md', 'shop/oven.txt']));
    expect(now).not.toContain(first);
  });

  it('are listed page by page', async () => {
    const server = await serve();
    const all = await ids(server);
    const seen: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const url: string = `${base(server)}?limit=2&after=${encodeURIComponent(after)}`;
      const page = await json(fetch(url));
      seen.push(...page.documents.map(({ id }: { id: string }) => id));
      after = page.after;
    }
    expect(seen).toEqual(all);
  });

  it('lead to the same job by the same key, also at once, and to none with something else', async () => {
    const server = await serve();
    const key = { 'idempotency-key': 'a-1' };
    const both = await Promise.all([
      put(server, 'a.md', NOTE, key).then(jobOf),
      put(server, 'a.md', NOTE, key).then(jobOf),
    ]);
    expect(both[0]!.id).toBe(both[1]!.id);
    await follow(server, both[0]!.id);
    expect((await jobOf(await put(server, 'a.md', NOTE, key))).id).toBe(both[0]!.id);
    const gone = await done(server, remove(server, 'a.md', { 'idempotency-key': 'a-2' }));
    expect((await jobOf(await remove(server, 'a.md', { 'idempotency-key': 'a-2' }))).id).toBe(gone.id);
    expect(await problem(remove(server, 'a.md'))).toEqual([404, 'NOT_FOUND']);
    expect(await problem(put(server, 'a.md', `${NOTE}!`, key))).toEqual([422, 'INVALID_INPUT']);
    expect(await problem(put(server, 'b.md', NOTE, key))).toEqual([422, 'INVALID_INPUT']);
    expect(await problem(put(server, 'b.md', NOTE, { 'idempotency-key': 'x'.repeat(129) }))).toEqual([
      400,
      'INVALID_INPUT',
    ]);
  });

  it.each([
    ['a way out of the folder', '../../etc/passwd.md'],
    ['another one', 'a/../../b.md'],
    ['an absolute path', '/etc/passwd.md'],
    ['a hidden file', 'a/.ssh.md'],
    ['a backslash', 'a\\b.md'],
    ['a line feed', 'a\nb.md'],
    ['node_modules', 'node_modules/a.md'],
    ['too long a name', `${'x'.repeat(300)}.md`],
    ['no kind of document', 'a.exe'],
    ['no kind at all', 'a'],
  ])('are refused under an id that is %s', async (_, id) => {
    const server = await serve();
    expect(await problem(put(server, id, NOTE))).toEqual([400, 'INVALID_INPUT']);
    expect(await problem(batch(server, { put: [{ id, text: NOTE }] }))).toEqual([400, 'INVALID_INPUT']);
    expect(readdirSync(path.join(index, INBOX))).toEqual(['lock']);
  });

  it('are refused with what does not fit, and nothing of it is taken', async () => {
    const server = await serve();
    const text = NOTE;
    expect(await problem(put(server, 'a.md', ''))).toEqual([400, 'INVALID_INPUT']);
    expect(await problem(put(server, 'a.md', 'x'.repeat(2_000_000)))).toEqual([413, 'INVALID_INPUT']);
    expect(await problem(remove(server, 'no/such.md'))).toEqual([404, 'NOT_FOUND']);
    for (const body of [
      {},
      { put: [{ id: 'a.md' }] },
      { put: [{ id: 'a.md', text, base64: 'YQ==' }] },
      { put: [{ id: 'a.md', base64: '*' }] },
      { put: [{ id: 'a.md', text: '' }] },
      {
        put: [
          { id: 'a.md', text },
          { id: 'a.md', text },
        ],
      },
      {
        put: [
          { id: 'a.md', text },
          { id: 'a.md/b.md', text },
        ],
      },
      { put: [{ id: 'a.md', text }], remove: ['a.md'] },
      { other: 1 },
    ]) {
      expect([body, ...(await problem(batch(server, body)))]).toEqual([body, 400, 'INVALID_INPUT']);
    }
    const elsewhere = `${server.url}/v1/collections/none/documents/a.md`;
    expect(await problem(fetch(elsewhere, { method: 'PUT', body: NOTE }))).toEqual([404, 'NOT_FOUND']);
    expect((await fetch(`${server.url}/v1/jobs/none`)).status).toBe(404);
    expect(readdirSync(path.join(index, INBOX))).toEqual(['lock']);
  });

  it('are not taken from whoever may not write, nor by a server that takes none', async () => {
    const closed = await serve({ writable: undefined });
    expect(await problem(put(closed, 'a.md', NOTE))).toEqual([403, 'NOT_PERMITTED']);
    expect(existsSync(path.join(index, INBOX))).toBe(false);
    const keys = path.join(folder, 'keys.json');
    const reader = await keyWith(keys, ['decide', 'retrieve'], ['demo']);
    const writer = await keyWith(keys, ['write'], ['demo']);
    const server = await serve({ keys });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    expect(await problem(put(server, 'a.md', NOTE, bearer(reader)))).toEqual([403, 'NOT_PERMITTED']);
    expect((await put(server, 'a.md', NOTE, bearer(writer))).status).toBe(202);
  });

  it('cannot be taken out so that nothing is left, and those that come after are none the worse', async () => {
    const server = await serve();
    const [first, ...rest] = await ids(server);
    await done(server, batch(server, { remove: rest }));
    const held = lock(index);
    const last = await jobOf(await remove(server, first!));
    await waitsFor(server, last);
    const next = await jobOf(await put(server, 'a.md', NOTE));
    held();
    // Together there is something left: the one that went is gone.
    expect(await follow(server, next.id)).toMatchObject({ state: 'done' });
    expect(await follow(server, last.id)).toMatchObject({ state: 'done' });
    expect(await ids(server)).toEqual(['a.md']);
    expect(await done(server, remove(server, 'a.md'))).toMatchObject({
      state: 'failed',
      error: 'Nothing would be left in the index.',
    });
    expect(await ids(server)).toEqual(['a.md']);
  });

  it('wait while somebody else writes the index, and say so', async () => {
    const server = await serve();
    const held = lock(index);
    const job = await jobOf(await put(server, 'a.md', NOTE));
    await waitsFor(server, job);
    expect(await problem(remove(server, 'b.md'))).toEqual([404, 'NOT_FOUND']);
    held();
    expect(await follow(server, job.id)).toMatchObject({ state: 'done', trouble: null });
  });

  it('are refused where they cannot be written, and the server lives', async () => {
    const server = await serve();
    rmSync(path.join(index, INBOX), { recursive: true });
    writeFileSync(path.join(index, INBOX), '');
    expect(await problem(put(server, 'a.md', NOTE))).toEqual([503, 'WRITE_FAILED']);
    rmSync(path.join(index, INBOX));
    mkdirSync(path.join(index, INBOX));
    expect(await done(server, put(server, 'a.md', NOTE))).toMatchObject({ state: 'done' });
  });

  it('are taken by one server alone, the other follows', async () => {
    const server = await serve();
    await expect(serve()).rejects.toMatchObject({ code: 'INDEX_LOCKED' });
    const reader = await serve({ writable: undefined });
    await done(server, put(server, 'shop/kiln.md', NOTE));
    await expect.poll(async () => (await decision(reader)).action, { timeout: 60_000 }).toBe('ANSWER');
  });

  it('are on the audit log before they are accepted, and when they are in the index', async () => {
    const file = path.join(index, '..', 'audit.ndjson');
    const server = await serve({ audit: { file, key: `${file}.key` } });
    const job = await done(server, put(server, 'a.md', NOTE));
    await server.close(0);
    open = [];
    expect(await verifyLog(file)).toMatchObject({ verdict: 'whole' });
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/"kind":"documents.accepted".*\n.*\n?.*"kind":"documents.indexed"/s);
    expect(text).toContain(job.id);
    expect(text).not.toContain('kiln of the pottery');
  });
});

describe('what was accepted', () => {
  it('is taken up by the next server where this one ends first', async () => {
    const server = await serve();
    const job = await jobOf(await put(server, 'shop/kiln.md', NOTE));
    await server.close(0);
    open = [];
    const next = await serve();
    expect(await follow(next, job.id)).toMatchObject({ state: 'done', served: true });
    expect((await decision(next)).action).toBe('ANSWER');
  });

  it('survives a server that is killed, at any moment', async () => {
    const place = path.basename(index);
    const args = ['serve', '--index', `demo=${place}`, '--port', '0', '--writable', '--threads', '1'];
    const accepted: string[] = [];
    for (const wait of [0, 150, 600]) {
      const child = startCli(args, { cwd: folder });
      await child.until(({ stdout }) => stdout.endsWith('\n'));
      const server = { url: child.stdout.trim() } as Server;
      for (const n of [1, 2]) {
        accepted.push((await jobOf(await put(server, `shop/${wait}-${n}.md`, `${NOTE}\n${wait} ${n}\n`))).id);
      }
      await sleep(wait);
      child.process.kill('SIGKILL');
      await child.finished;
    }
    const server = await serve();
    for (const id of accepted) expect(await follow(server, id)).toMatchObject({ state: 'done' });
    expect((await ids(server)).filter((id) => id.startsWith('shop/'))).toHaveLength(6);
  });

  it('is not begun with where a job is damaged', async () => {
    const job = path.join(index, INBOX, 'job-000000001');
    mkdirSync(job, { recursive: true });
    writeFileSync(path.join(job, 'job.json'), '{');
    await expect(serve()).rejects.toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('job-000000001'),
    });
    rmSync(job, { recursive: true });
    mkdirSync(path.join(index, INBOX, 'part-x'));
    await serve();
    expect(readdirSync(path.join(index, INBOX))).toEqual(['lock']);
  });

  it('is remembered for a while, and no more than so many wait', async () => {
    const limits = { waiting: 2, remembered: 1 };
    const inbox = await Inbox.open(index, 'demo', limits);
    const request = (id: string) => ({
      ...{ caller: 'x', key: null, fingerprint: '', remove: [] },
      put: [{ id, bytes: Buffer.from('x') }],
    });
    const [a, b] = [await inbox.accept(request('a.md')), await inbox.accept(request('b.md'))];
    await expect(inbox.accept(request('c.md'))).rejects.toMatchObject({ code: 'TOO_BUSY' });
    expect([inbox.coming('a.md'), inbox.coming('c.md')]).toEqual(['put', null]);
    for (const { id } of [a, b]) await inbox.finish(id, { error: 'no' });
    expect([inbox.job(a.id), inbox.job(b.id)?.state]).toEqual([null, 'failed']);
    expect(readdirSync(inbox.dir).sort()).toEqual(['job-000000002', 'lock']);
    inbox.close();
    const again = await Inbox.open(index, 'demo', limits);
    expect(again.job(b.id)).toMatchObject({ state: 'failed', error: 'no' });
    again.close();
  });
});
