import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Query } from '../../router/index.ts';
import type { HealthArguments } from '../commands/health-options.ts';
import { connectRedis, disconnectRedis, keysOf, Lane } from '../queue/index.ts';
import { type FakeDecider, fakeDecider, fakeDecision } from '../testing/fake-decider.ts';
import { submitted, until } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { openWorker, type QueueWorker } from '../worker/index.ts';
import { openHealth } from './health.ts';
import { openLog } from './log.ts';
import { queueProbe } from './queue-watch.ts';
import { openWorkerHealth } from './worker-health.ts';

const SECRET = 'who stole the crown?';
const ARGS: HealthArguments = {
  healthPort: 0,
  healthHost: '127.0.0.1',
  logLevel: 'debug',
  allowVolatile: false,
  tracing: false,
  dashboard: false,
};

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ aof: true, password: 'hush' });
});
afterAll(() => redis.close());

let ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

/** A router as far as canaries go. */
const router = (decide = (query: Query) => fakeDecision(query)) => ({
  route: async (query: Query) => {
    const decision = decide(query);
    if (query.query === '')
      decision.abstention = { reason: 'EMPTY_QUERY', message: 'Empty.', suggestions: [], kind: 'OTHER' };
    return decision;
  },
});

async function health(queue: string, args: Partial<HealthArguments> = {}) {
  const written: string[] = [];
  const opened = await openWorkerHealth(
    { ...ARGS, ...args },
    { redis: redis.url, queue, write: (line) => written.push(line), signal: new AbortController().signal },
  );
  ends.push(() => opened.close());
  const get = async (path: string) => {
    const response = await fetch(`${opened.url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { opened, written, get };
}

async function working(queue: string, decider: FakeDecider, observer = {}): Promise<QueueWorker> {
  const worker = await openWorker({ redis: redis.url, queue, decider, observer });
  ends.push(() => worker.drain(0));
  return worker;
}

test('a worker from its start to its end', async () => {
  const { opened, written, get } = await health('whole', { dashboard: true });
  const ready = async () => (await get('/readyz')).status;
  expect(await ready()).toBe(503);
  await opened.checkRedis();
  await opened.checkRouter(router());
  expect(await ready()).toBe(503);
  const decider = fakeDecider();
  const worker = await working('whole', decider, opened.observer);
  await opened.taking(worker, decider);
  expect(await ready()).toBe(200);

  const queries = Array.from({ length: 20 }, (_, i) => ({ id: `${SECRET}${i}`, query: SECRET }));
  await submitted(queries, { redis: redis.url, queue: 'whole', tenant: SECRET, wait: true });
  await until(async () => (await get('/metrics')).text.includes('pragaura_heartbeats_total 1'));
  const { text } = await get('/metrics');
  expect(text).toContain('pragaura_decisions_total{action="ABSTAIN",reason="NO_RESULTS",act="FACT"} 20');
  expect(text).toContain('pragaura_queue_jobs{state="waiting"} 0');
  expect(text).toContain('pragaura_redis_up 1');
  expect((await get('/healthz')).status).toBe(200);

  const page = await get('/dashboard');
  expect(page.status).toBe(200);
  const asset = /(?:src|href)="([^"]*static[^"]+\.(?:js|css))"/.exec(page.text)![1]!;
  expect((await get(new URL(asset, `${opened.url}/dashboard/`).pathname)).status).toBe(200);
  // Jobs that are done are gone; one that waits is to be seen.
  const client = await connectRedis(redis.url, 'producer');
  ends.push(() => disconnectRedis(client));
  const lane = new Lane({ client, queue: 'whole', configuration: decider.configuration });
  ends.push(() => lane.close());
  await lane.pause();
  await submitted([{ id: `${SECRET} again`, query: SECRET }], {
    redis: redis.url,
    queue: 'whole',
    tenant: SECRET,
    configuration: decider.configuration,
  });
  const jobs = (await get(`/dashboard/api/queues?activeQueue=lane-${'a'.repeat(16)}&status=latest`)).text;
  expect(jobs).toContain('pragaura.job/1');

  const said = `${text}${jobs}${written.join('')}`;
  expect(said).not.toContain(SECRET);
  expect(said).not.toContain('hush');
  expect(written.filter((line) => JSON.parse(line).event === 'job.decided')).toHaveLength(20);
  opened.draining();
  expect(await ready()).toBe(503);
});

test('a worker with another configuration is warned of, and what differs is named', async () => {
  const first = fakeDecider(undefined, 'a');
  await working('two', first);
  const { opened, written } = await health('two');
  const second = fakeDecider(undefined, 'b');
  const warned = () =>
    written.map((line) => JSON.parse(line)).find(({ event }) => event === 'configurations.differ');
  const worker = await working('two', second, opened.observer);
  await opened.taking(worker, second);
  expect(warned()).toMatchObject({
    level: 'warn',
    queue: 'two',
    detail: expect.stringMatching(/bbbb.*: seed\. /),
  });
});

test('canaries that go wrong keep a worker from being ready', async () => {
  const { opened, get } = await health('canaries');
  await opened.checkRedis();
  let calls = 0;
  const fickle = router((query) => ({ ...fakeDecision(query), U: calls++ / 100 }));
  await expect(opened.checkRouter(fickle)).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining('two different decisions'),
  });
  const answering = { route: async (query: Query) => fakeDecision(query) };
  await expect(opened.checkRouter(answering)).rejects.toThrow(/an empty query was not refused/);
  const malformed = router((query) => ({ ...fakeDecision(query), U: 7 }));
  await expect(opened.checkRouter(malformed)).rejects.toThrow(/does not fit its schema/);
  expect(JSON.parse((await get('/readyz')).text).conditions).toMatchObject({ models: true, canaries: false });
});

test('without a Redis nothing listens any more', async () => {
  const nowhere = openWorkerHealth(ARGS, {
    redis: 'redis://127.0.0.1:1',
    queue: 'q',
    write: () => {},
    signal: new AbortController().signal,
  });
  await expect(nowhere).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
});

test('liveness on a real queue: taking jobs, paused, taking none, Redis full, Redis frozen', async () => {
  const client = await connectRedis(redis.url, 'producer');
  ends.push(() => disconnectRedis(client));
  const { configuration } = fakeDecider();
  const lane = new Lane({ client, queue: 'alive', configuration });
  ends.push(() => lane.close());
  const worker = await openWorker({
    redis: redis.url,
    queue: 'alive',
    decider: fakeDecider(),
    observer: { heartbeat: (data) => opened.observer.heartbeat(data) },
  });
  const log = openLog({ write: () => {}, level: 'silent' });
  const opened = await openHealth({
    log,
    silenceMs: 1000,
    server: { host: '127.0.0.1', port: 0, dashboard: false },
  });
  ends.push(() => opened.close());
  opened.taking({
    counts: async () => null,
    probe: queueProbe(keysOf('alive').lane(configuration), () => connectRedis(redis.url, 'producer')),
    active: () => worker.active,
    beat: () => lane.beat('w', {}),
    heartbeatMs: 50,
  });
  const report = async () => {
    const response = await fetch(`${opened.url}/healthz`);
    return { status: response.status, ...((await response.json()) as { state: string }) };
  };
  await sleep(1500);
  expect(await report()).toMatchObject({ status: 200, state: 'working' });

  await lane.pause();
  await sleep(1500);
  expect(await report()).toMatchObject({ status: 200, state: 'paused' });
  await lane.resume();

  // From here on nobody takes heartbeats, as after a reconnect that went wrong.
  await worker.drain(0);
  await sleep(1500);
  expect(await report()).toMatchObject({ status: 503, state: 'stuck' });
  // The heartbeat that nobody took is no query.
  expect((await lane.counts()).waiting).toBe(0);

  // A full Redis answers, and gives out no jobs: no restart would help.
  await client.config('SET', 'maxmemory', '1');
  expect(await report()).toMatchObject({ status: 200, state: 'unreachable' });
  await client.config('SET', 'maxmemory', '0');
  await sleep(1500);
  expect(await report()).toMatchObject({ status: 503, state: 'stuck' });

  redis.freeze();
  expect(await report()).toMatchObject({ status: 200, state: 'unreachable' });
  redis.thaw();
});
