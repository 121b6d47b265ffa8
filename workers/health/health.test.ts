import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { freePort } from '../../common/testing/free-port.ts';
import type { Decision } from '../../router/index.ts';
import { openHealth, type WatchedQueue } from './health.ts';
import { openLog } from './log.ts';

const SECRET = 'who did it?';
const JOB = { jobId: 'qABC', tenant: 'tenant-one', priority: 'bulk', attempt: 1, waitedMs: 70 } as const;
const DECISION = {
  id: SECRET,
  query: SECRET,
  action: 'ABSTAIN',
  act: { label: 'FACT', probabilities: {}, confident: true },
  abstention: { reason: 'UNCERTAIN', message: SECRET, suggestions: [] },
  timings: { embed: 3, nli: 40, total: 60, 'a stage to come': 1 },
} as unknown as Decision;
const COUNTS = { waiting: 7, active: 1, delayed: 2, dead: 3, uncollected: 4, collected: 5, paused: true };

let ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
});

async function opened(queue: Partial<WatchedQueue> = {}, silenceMs = 60_000) {
  const written: string[] = [];
  const log = openLog({ write: (line) => written.push(line), level: 'debug' });
  const health = await openHealth({
    log,
    silenceMs,
    server: { host: '127.0.0.1', port: 0, dashboard: true },
  });
  ends.push(() => health.close());
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${health.url}${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const take = () =>
    health.taking({
      counts: async () => COUNTS,
      probe: { ask: async () => 'working' },
      beat: async () => {},
      active: () => 3,
      ...queue,
    });
  return { health, get, take, written };
}

/** The value of a sample, by its name with labels in any order. */
function sample(metrics: string, name: string, labels: Record<string, string> = {}): number | null {
  const line = metrics.split('\n').find((text) => {
    const bare = text.startsWith(`${name}{`) || text.startsWith(`${name} `);
    return bare && Object.entries(labels).every(([label, value]) => text.includes(`${label}="${value}"`));
  });
  return line === undefined ? null : Number(line.slice(line.lastIndexOf(' ') + 1));
}

test('a worker is alive from the start and ready when everything is', async () => {
  const { health, get, take } = await opened();
  expect((await get('/healthz')).status).toBe(200);
  expect((await get('/readyz')).status).toBe(503);
  health.readiness.set('models', true);
  health.readiness.set('canaries', true);
  health.readiness.set('index', true);
  health.observer.redis('ready');
  expect(JSON.parse((await get('/readyz')).text)).toEqual({
    ready: false,
    conditions: { models: true, canaries: true, redis: true, index: true, taking: false },
  });
  take();
  expect((await get('/readyz')).status).toBe(200);
  health.observer.redis('error', new Error('one command failed'));
  expect((await get('/readyz')).status).toBe(200);
  health.observer.redis('lost');
  expect((await get('/readyz')).status).toBe(503);
  health.observer.redis('ready');
  expect(sample((await get('/metrics')).text, 'pragaura_ready')).toBe(1);
  health.draining();
  expect((await get('/readyz')).status).toBe(503);
  expect((await get('/healthz')).status).toBe(200);
});

test('a worker whose index cannot be read is not ready, and what changed is said once', async () => {
  const { health, get, take, written } = await opened();
  for (const condition of ['models', 'canaries', 'redis', 'index'] as const)
    health.readiness.set(condition, true);
  take();
  const status = async () => (await get('/readyz')).status;
  const well = {
    state: 'ok',
    generation: 'current',
    current: '1',
    detail: 'three nodes',
    bytes: null,
  } as const;
  health.looked(well);
  health.looked({ ...well, state: 'degraded', detail: 'two nodes' });
  expect(await status()).toBe(200);
  const failure = new PragauraError('BACKEND_UNAVAILABLE', 'It does not answer.', { hint: 'Start it.' });
  health.looked(failure);
  health.looked(failure);
  expect(await status()).toBe(503);
  health.looked({ ...well, generation: 'gone' });
  expect(await status()).toBe(503);
  health.looked({ ...well, generation: 'superseded' });
  expect(await status()).toBe(200);
  const said = written.map((line) => JSON.parse(line)).filter(({ event }) => event.startsWith('index.'));
  expect(said.map(({ event, level }) => `${level} ${event}`)).toEqual([
    'warn index.degraded',
    'warn index.unavailable',
    'warn index.gone',
    'info index.ok',
  ]);
  expect(said[1]).toMatchObject({ code: 'BACKEND_UNAVAILABLE', hint: 'Start it.' });
});

test('a worker that takes no jobs though there are some is not alive, until it takes one', async () => {
  const { health, get, take } = await opened({}, 1000);
  take();
  await sleep(1100);
  const dead = await get('/healthz');
  expect(dead.status).toBe(503);
  expect(JSON.parse(dead.text)).toMatchObject({ alive: false, state: 'stuck' });
  health.observer.heartbeat({});
  expect((await get('/healthz')).status).toBe(200);
});

test('metrics: stages by act, decisions by action and reason, waits, failures, the queue, the loop', async () => {
  const { health, get, take } = await opened();
  take();
  const { observer } = health;
  observer.started(JOB);
  observer.finished(JOB, DECISION, { waited: 70, routed: 61, stored: 2 });
  observer.failed(JOB, { code: 'SCORING_FAILED', message: SECRET }, false);
  observer.failed({}, { code: `made up "${SECRET}"`, message: SECRET }, true);
  observer.stalled(JOB.jobId);
  observer.heartbeat({});
  health.scored('nli', 24, 100);
  health.batched({ model: 'm', sequences: 6, fill: 0.25 });
  await sleep(60);
  const { text, headers } = await get('/metrics');
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const at = (name: string, labels?: Record<string, string>) => sample(text, name, labels);
  expect(at('pragaura_stage_seconds_sum', { stage: 'nli', act: 'FACT' })).toBe(0.04);
  expect(at('pragaura_stage_seconds_bucket', { stage: 'nli', act: 'FACT', le: '0.025' })).toBe(0);
  expect(at('pragaura_stage_seconds_bucket', { stage: 'nli', act: 'FACT', le: '0.05' })).toBe(1);
  expect(at('pragaura_stage_seconds_count', { stage: 'other', act: 'FACT' })).toBe(1);
  expect(at('pragaura_decisions_total', { action: 'ABSTAIN', reason: 'UNCERTAIN', act: 'FACT' })).toBe(1);
  expect(at('pragaura_wait_seconds_sum', { priority: 'bulk' })).toBe(0.07);
  expect(at('pragaura_service_seconds_sum', { priority: 'bulk' })).toBe(0.061);
  expect(at('pragaura_store_seconds_sum')).toBe(0.002);
  expect(at('pragaura_job_failures_total', { code: 'SCORING_FAILED', final: 'false' })).toBe(1);
  expect(at('pragaura_job_failures_total', { code: 'other', final: 'true' })).toBe(1);
  expect(at('pragaura_jobs_started_total')).toBe(1);
  expect(at('pragaura_jobs_stalled_total')).toBe(1);
  expect(at('pragaura_heartbeats_total')).toBe(1);
  expect(at('pragaura_jobs_in_flight')).toBe(3);
  expect(at('pragaura_scoring_items_sum', { job: 'nli' })).toBe(24);
  expect(at('pragaura_scoring_pending_items_sum', { job: 'nli' })).toBe(100);
  expect(at('pragaura_batch_sequences_sum', { model: 'm' })).toBe(6);
  expect(at('pragaura_batch_fill_sum', { model: 'm' })).toBe(0.25);
  for (const [state, count] of Object.entries(COUNTS)) {
    if (state !== 'paused') expect(at('pragaura_queue_jobs', { state })).toBe(count);
  }
  expect(at('pragaura_queue_paused')).toBe(1);
  expect(at('pragaura_redis_up')).toBe(1);
  expect(at('pragaura_event_loop_delay_seconds_count')).toBeGreaterThan(0);
  expect(at('process_resident_memory_bytes')).toBeGreaterThan(1e6);
});

test('nothing that a user wrote is in metrics or logs, and no job makes a new series', async () => {
  const { health, get, written } = await opened();
  const series = async () =>
    (await get('/metrics')).text.split('\n').filter((line) => line.startsWith('pragaura_'));
  const tell = (i: number) => {
    const job = { ...JOB, jobId: `q${i}`, tenant: `${SECRET}${i}` };
    health.observer.started(job);
    health.observer.finished(job, DECISION, { waited: 1, routed: 1, stored: 1 });
    health.observer.failed(job, { code: `X${i}`, message: `${SECRET}${i}`, hint: SECRET }, true);
  };
  tell(0);
  const before = await series();
  for (let i = 1; i < 200; i += 1) tell(i);
  const after = await series();
  expect(after.length).toBe(before.length);
  expect(`${after.join('\n')}\n${written.join('')}`).not.toContain(SECRET);
  expect(written).toHaveLength(600);
  for (const line of written) expect(JSON.parse(line)).toHaveProperty('job');
});

test('a Redis that does not answer is told, and its old numbers are not', async () => {
  let answers = true;
  const { get, take } = await opened({ counts: async () => (answers ? COUNTS : null) });
  take();
  expect(sample((await get('/metrics')).text, 'pragaura_queue_jobs', { state: 'waiting' })).toBe(7);
  answers = false;
  const { text } = await get('/metrics');
  expect(sample(text, 'pragaura_redis_up')).toBe(0);
  expect(sample(text, 'pragaura_queue_jobs')).toBeNull();
});

test('a blocked event loop is seen, every tick that it missed', async () => {
  const { get } = await opened();
  await sleep(50);
  const until = performance.now() + 400;
  while (performance.now() < until);
  await sleep(50);
  const { text } = await get('/metrics');
  const below = sample(text, 'pragaura_event_loop_delay_seconds_bucket', { le: '0.1' })!;
  const all = sample(text, 'pragaura_event_loop_delay_seconds_count')!;
  // 380 ms late, 360, … 100: some fifteen samples.
  expect(all - below).toBeGreaterThanOrEqual(10);
});

test('what is asked otherwise is refused', async () => {
  const { get } = await opened();
  expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  expect((await get('/healthz?x=1')).status).toBe(200);
  const head = await get('/healthz', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  for (const path of ['/', '/constructor', '/__proto__', '/metrics/', '/dashboard']) {
    expect((await get(path)).status).toBe(404);
  }
});

test('a route that fails is answered, without its error', async () => {
  const probe = { ask: () => Promise.reject(new Error(SECRET)) };
  const { get, take } = await opened({ probe }, 0);
  take();
  await sleep(5);
  const failed = await get('/healthz');
  expect(failed.status).toBe(500);
  expect(failed.text).not.toContain(SECRET);
  expect((await get('/readyz')).status).toBe(503);
});

test('a port that is taken, and an address of another machine', async () => {
  const port = await freePort();
  const log = openLog({ write: () => {}, level: 'silent' });
  const first = await openHealth({ log, server: { host: '127.0.0.1', port, dashboard: false } });
  ends.push(() => first.close());
  const second = openHealth({ log, server: { host: '127.0.0.1', port, dashboard: false } });
  await expect(second).rejects.toSatisfy(
    (error) =>
      PragauraError.isInstance(error) && error.exitCode === 78 && /--health-port/.test(error.hint ?? ''),
  );
  const elsewhere = openHealth({ log, server: { host: '192.0.2.1', port: 0, dashboard: false } });
  await expect(elsewhere).rejects.toMatchObject({
    code: 'CONFIGURATION',
    hint: expect.stringContaining('--health-host'),
  });
});
