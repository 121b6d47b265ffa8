/** A server whose decisions are made by workers: real Redis, real workers, also when some of them are killed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Child, runCli, startCli } from '../cli/testing/cli.ts';
import { withoutClocks } from '../common/index.ts';
import { type Access, ensureSigningKey, JOBS } from '../governance/index.ts';
import { people } from '../governance/testing/people.ts';
import { openRouter, type Router } from '../router/index.ts';
import { demoIndex } from '../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../scorers/index.ts';
import { openLog } from '../workers/health/log.ts';
import { configurationOf, Lane } from '../workers/queue/index.ts';
import { demoAccess, isOpen } from '../workers/testing/demo-access.ts';
import { storeAt, until } from '../workers/testing/queue.ts';
import { type RedisServer, startRedis } from '../workers/testing/redis.ts';
import { deciderOf, openWorker, type QueueWorker } from '../workers/worker/index.ts';
import type { Server, ServerOptions } from './server.ts';
import { testServer } from './testing/serve.ts';

const FACT = 'Up to which wind speed may technicians climb a mast?';
const folder = mkdtempSync(path.join(tmpdir(), 'pragaura-server-queue-'));
const index = path.join(folder, 'index');
const lines = readFileSync(path.join(import.meta.dirname, '../router/demo/queries.ndjson'), 'utf8')
  .trimEnd()
  .split('\n');
let redis: RedisServer;
let scorers: Scorers;
let router: Router;
let queue = '';
let count = 0;
let logged = '';
const servers: Server[] = [];
const workers: QueueWorker[] = [];
const children: Child[] = [];

beforeAll(async () => {
  redis = await startRedis({ aof: true });
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
  router = await openRouter({ index, scorers });
});
afterAll(async () => {
  await router?.close();
  await scorers?.close();
  await redis?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  queue = `s${count++}`;
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
  await Promise.all(workers.splice(0).map((worker) => worker.drain(0)));
  for (const child of children.splice(0)) child.process.kill('SIGKILL');
});

async function serve(options: Partial<ServerOptions> = {}): Promise<Server> {
  const log = openLog({ level: 'info', write: (line) => (logged += line) });
  const server = await testServer({
    collections: [{ name: 'demo', index, scorers }],
    ...{ scorers, log, concurrency: 16 },
    queue: { redis: redis.url, queue, mostWaiting: 1000, allowVolatile: false },
    ...options,
  });
  servers.push(server);
  return server;
}

async function work(): Promise<QueueWorker> {
  const worker = await openWorker({ redis: redis.url, queue, decider: deciderOf(router) });
  workers.push(worker);
  return worker;
}

/** A program by itself, which can be killed. */
async function start(args: readonly string[], ready: (child: Child) => boolean): Promise<Child> {
  const child = startCli([...args, '--redis', redis.url, '--queue', queue, '--threads', '1']);
  children.push(child);
  await child.until(() => ready(child));
  return child;
}
const startWorker = () =>
  start(['worker', '--index', index, '--lock', '2'], ({ stderr }) => stderr.includes('worker.ready'));

const post = (url: string, query: object, signal?: AbortSignal) =>
  fetch(`${url}/v1/decisions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(query),
    ...(signal && { signal }),
  });

/** Until a worker has announced itself. */
const answering = (url: string) => until(async () => (await post(url, { query: FACT })).status === 200);

it('gives what the router gives, under the ids of its callers, however often they use them', async () => {
  const { url } = await serve();
  await work();
  await answering(url);
  const queries = lines.map((line) => ({ ...JSON.parse(line), id: 'the-same' }));
  const asked = await Promise.all(queries.map((query) => post(url, query).then((answer) => answer.text())));
  const made = await Promise.all(queries.map((query) => router.route(query)));
  expect(asked.map((text) => withoutClocks(text.trimEnd()))).toEqual(
    made.map((decision) => withoutClocks(JSON.stringify(decision))),
  );
  const stream = await fetch(`${url}/v1/decisions:stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  const streamed = (await stream.text()).trimEnd().split('\n');
  expect(streamed.map((line) => JSON.parse(line).id)).toEqual(lines.map((line) => JSON.parse(line).id));
  const activity = await (await fetch(`${url}/v1/collections/demo/activity`)).json();
  expect(activity.decisions).toBe(2 * lines.length + 1);
});

it('says so where nobody decides as it does, and goes on when somebody does', async () => {
  const { url } = await serve();
  const refused = await post(url, { query: FACT });
  expect([refused.status, (await refused.json()).code]).toEqual([503, 'NO_WORKER']);
  expect(logged).toContain('"event":"queue.unserved"');
  await work();
  await answering(url);
});

it('takes what nobody waits for any more out of line', async () => {
  const { url } = await serve({ timeoutMs: 3000 });
  await work();
  await answering(url);
  const { client, close } = await storeAt(redis.url, queue);
  const lane = new Lane({ client, queue, configuration: configurationOf(router) });
  await lane.pause();
  const gone = new AbortController();
  const left = post(url, { query: FACT }, gone.signal).catch(() => 'gone');
  const late = await Promise.all([
    post(url, { query: FACT }),
    until(async () => (await lane.counts()).waiting === 2).then(() => gone.abort()),
  ]);
  expect(late[0].status).toBe(504);
  expect(await left).toBe('gone');
  await until(async () => (await lane.counts()).waiting === 0);
  await lane.close();
  await close();
});

it('answers everything when a worker is killed, and when another server is', async () => {
  await Promise.all([startWorker(), startWorker()]);
  const [first] = children;
  const { url } = await serve();
  const other = await start(['serve', '--index', `demo=${index}`, '--port', '0'], ({ stdout }) =>
    stdout.endsWith('\n'),
  );
  const queries = lines.map((line) => JSON.parse(line));
  // Those of the server that dies are told by their connections, and hinder nobody.
  const told = queries.map((query) =>
    post(other.stdout.trim(), query).then(
      (answer) => answer.status,
      () => 'told',
    ),
  );
  const asked = queries.map((query) => post(url, query));
  await asked[5];
  first!.process.kill('SIGKILL');
  other.process.kill('SIGKILL');
  const made = await Promise.all(queries.map((query) => router.route(query)));
  const answers = await Promise.all(asked.map(async (answer) => (await answer).text()));
  expect(answers.map((text) => withoutClocks(text.trimEnd()))).toEqual(
    made.map((decision) => withoutClocks(JSON.stringify(decision))),
  );
  expect((await Promise.all(told)).filter((each) => each !== 200 && each !== 'told')).toEqual([]);
});

it('tells of a Redis that is away, and needs no restart when it is back', async () => {
  const { url } = await serve({ timeoutMs: 20_000 });
  await work();
  await answering(url);
  await redis.kill();
  const refused = await post(url, { query: FACT });
  expect([refused.status, (await refused.json()).code]).toEqual([503, 'QUEUE_UNAVAILABLE']);
  await redis.start();
  await answering(url);
});

it('does not start without its Redis, or over one that forgets', async () => {
  const nowhere = ['serve', '--index', index, '--redis', 'redis://127.0.0.1:1', '--port', '0'];
  const { code, stderr } = await runCli(nowhere);
  expect([code, stderr]).toEqual([69, expect.stringContaining('nothing listens')]);
  const forgetful = await startRedis();
  try {
    const over = (allowVolatile: boolean) =>
      serve({ queue: { redis: forgetful.url, queue, mostWaiting: 1, allowVolatile } });
    await expect(over(false)).rejects.toMatchObject({ code: 'QUEUE_UNUSABLE' });
    await over(true);
  } finally {
    await forgetful.close();
  }
});

describe('with a policy', () => {
  const known = people(folder);
  const key = () => ensureSigningKey(path.join(folder, 'queue.key'), JOBS);

  /** A server that goes by the policy, and a worker that goes by one that may be another. */
  async function governed(theirs: Access = demoAccess()): Promise<Server> {
    const server = await serve({
      access: demoAccess(),
      principals: known.file,
      queue: { redis: redis.url, queue, mostWaiting: 1000, allowVolatile: false, key: key() },
    });
    const view = (readable: typeof isOpen) => openRouter({ index, scorers, readable });
    const decider = deciderOf(router, { governed: { access: theirs, submitters: [key()], view } });
    workers.push(await openWorker({ redis: redis.url, queue, decider }));
    return server;
  }
  const callers = () => Promise.all([known.tokenOf('gus'), known.tokenOf('sam', ['staff'])]);
  const ask = async ({ url }: Server, query: object, token: string) =>
    fetch(`${url}/v1/decisions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(query),
    });

  it('tells each caller what an index of the documents that they may read would tell them', async () => {
    const server = await governed();
    const [gus, sam] = await callers();
    await until(async () => (await ask(server, { query: FACT }, sam)).status === 200);
    const seen = await openRouter({ index, scorers, readable: isOpen });
    for (const line of lines.slice(0, 12)) {
      const query = JSON.parse(line);
      const [mine, theirs] = await Promise.all([ask(server, query, gus), ask(server, query, sam)]);
      expect(withoutClocks((await mine.text()).trimEnd())).toBe(
        withoutClocks(JSON.stringify(await seen.route(query))),
      );
      expect(withoutClocks((await theirs.text()).trimEnd())).toBe(
        withoutClocks(JSON.stringify(await router.route(query))),
      );
    }
    await seen.close();
  });

  it('shows nobody what a worker decided over other documents', async () => {
    const server = await governed(demoAccess('documents/'));
    const [gus, sam] = await callers();
    await until(async () => (await ask(server, { query: FACT }, sam)).status === 200);
    const answer = await ask(server, { query: FACT }, gus);
    expect(answer.ok).toBe(false);
    expect(((await answer.json()) as { code: string }).code).toBe('JOB_FAILED');
  });
});
