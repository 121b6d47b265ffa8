/** Submitting on a real Redis: once each, no more than fits, nothing lost unnoticed. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBadWire } from '../faults/bad-wire.ts';
import { Lane } from '../queue/index.ts';
import { fakeDecider } from '../testing/fake-decider.ts';
import { storeAt, submitted, until } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import { openWorker, type QueueWorker, type WorkerOptions } from '../worker/index.ts';
import { readLedger } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-submit-'));
const decider = fakeDecider();
const { configuration } = decider;
let redis: RedisServer;
let queue = '';
let ledger = '';
let count = 0;
const workers: QueueWorker[] = [];

beforeAll(async () => {
  redis = await startRedis({ aof: 'always' });
});
afterAll(async () => {
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  queue = `q${count++}`;
  ledger = join(folder, `${queue}.ledger`);
  decider.routed.length = 0;
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.drain(0))));

const submit = (lines: (object | string)[], options = {}) =>
  submitted(lines, { redis: redis.url, queue, configuration, ...options });
const queries = (many: number, prefix = 'q') =>
  Array.from({ length: many }, (_, i) => ({ id: `${prefix}${i}`, query: `What is ${i}?` }));
async function work(options: Partial<WorkerOptions> = {}) {
  const worker = await openWorker({ redis: redis.url, queue, decider, ...options });
  workers.push(worker);
  return worker;
}
async function waiting(): Promise<number> {
  const { client, close } = await storeAt(redis.url, queue);
  const counts = await new Lane({ client, queue, configuration }).counts();
  close();
  return counts.waiting;
}
async function ledgerIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { query } of readLedger(ledger)) ids.push(query.id);
  return ids;
}

describe('submit', () => {
  it('hears of results also where an ACL lets nobody tell it, or somebody else had submitted the query', async () => {
    const { client, close } = await storeAt(redis.url, queue);
    await client.call('ACL', 'SETUSER', 'mute', 'on', '>pw', '~*', '+@all', 'resetchannels');
    await work({ redis: `redis://mute:pw@127.0.0.1:${redis.port}` });
    for (const url of [redis.url, `redis://mute:pw@127.0.0.1:${redis.port}`]) {
      const own = queries(3, url === redis.url ? 'q' : 'm');
      const [{ code, records }, other] = await Promise.all([
        submit(own, { redis: url, wait: true }),
        submit(own, { wait: true }),
      ]);
      expect([code, other.code]).toEqual([0, 0]);
      expect(records.map(({ query }) => query)).toEqual(own.map(({ query }) => query));
      expect(other.records).toEqual(records);
    }
    expect(decider.routed.length).toBe(6);
    close();
  });

  it('says of each query what became of it, and puts it in line once', async () => {
    const first = await submit(queries(3));
    expect(first.records).toEqual(
      queries(3).map(({ id }) => ({
        schema: 'pragaura.submitted/1',
        id,
        jobId: expect.stringMatching(/^q[\w-]{24}$/),
        status: 'queued',
      })),
    );
    const again = await submit([...queries(4), ...queries(4)]);
    expect(again.records.map(({ status }) => status)).toEqual([
      'known',
      'known',
      'known',
      'queued',
      'known',
      'known',
      'known',
      'queued',
    ]);
    expect(await waiting()).toBe(4);
    await work();
    await until(() => decider.routed.length === 4);
    const third = await submit(queries(4), { wait: true });
    expect(third.records.map(({ id }) => id)).toEqual(['q0', 'q1', 'q2', 'q3']);
    expect(decider.routed.length).toBe(4);
  });

  it('refuses another query under a known id, also in one stream and also when it is decided', async () => {
    await work();
    const one = { id: 'same', query: 'What is one?' };
    const { code, records } = await submit([one, { id: 'same', query: 'What is two?' }, one], { wait: true });
    expect(code).toBe(65);
    expect(records.map(({ schema }) => schema)).toEqual([
      'pragaura.decision/4',
      'pragaura.error/1',
      'pragaura.decision/4',
    ]);
    expect(records[1]).toMatchObject({ id: 'same', line: 2, error: { code: 'INVALID_INPUT' } });
    const later = await submit([{ id: 'same', query: 'What is three?' }]);
    expect(later.records[0]).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    const other = await submit([{ id: 'same', query: 'What is three?' }], { tenant: 'other', wait: true });
    expect(other.records[0]).toMatchObject({ query: 'What is three?' });
  });

  it('gives bad lines their error records and submits the rest', async () => {
    const { code, records } = await submit([
      'no json',
      { query: 'Who?' },
      { id: 'x' },
      '{"id":7,"query":"y"}',
    ]);
    expect(code).toBe(65);
    expect(records.map(({ id, line }) => [id, line])).toEqual([
      [null, 1],
      ['line-2', undefined],
      ['x', 3],
      ['7', undefined],
    ]);
    expect(await waiting()).toBe(2);
  });

  it('puts no more in line than may wait, and goes on when there is room', async () => {
    const running = submit(queries(300), { mostWaiting: 20, window: 10 });
    await until(async () => (await waiting()) >= 20);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await waiting()).toBeLessThanOrEqual(30);
    await work();
    const { code, records } = await running;
    expect(code).toBe(0);
    expect(records.length).toBe(300);
  });

  it('waits while nobody reads the results, and says so', async () => {
    await work({ retention: { results: 5, ms: 60_000 } });
    await submit(queries(6));
    await until(() => decider.routed.length === 6);
    const { store, close } = await storeAt(redis.url, queue);
    await until(async () => (await store.tally()).results === 6);
    const running = submit(queries(2, 'more'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(decider.routed.length).toBe(6);
    const entries = await store.done('0-0', 100, null);
    await store.collect(entries.map(({ jobId }) => jobId));
    const { code, said } = await running;
    expect(code).toBe(0);
    expect(said.join()).toContain('nobody has read them');
    await until(() => decider.routed.length === 8);
    await until(async () => (await store.tally()).results <= 5);
    close();
  });

  it('stops at the first signal while it waits for room', async () => {
    await submit(queries(5));
    const stop = new AbortController();
    const running = submit(queries(5, 'r'), { mostWaiting: 5, signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    const { records } = await running;
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) expect(record).toMatchObject({ error: { code: 'ABORTED' } });
    expect(await waiting()).toBe(5);
  });

  it('needs to know for whom, and takes the only configuration that workers announce', async () => {
    await expect(submit(queries(1), { configuration: undefined })).rejects.toMatchObject({ code: 'USAGE' });
    await work();
    const { store, close } = await storeAt(redis.url, queue);
    await until(async () => (await store.announced()).length === 1);
    expect((await submit(queries(1), { configuration: undefined, wait: true })).code).toBe(0);
    expect((await submit(queries(1), { configuration: configuration.slice(0, 8) })).code).toBe(0);
    await expect(submit(queries(1), { configuration: 'bbbbbbbb' })).rejects.toMatchObject({ code: 'USAGE' });
    const other = fakeDecider(undefined, 'b');
    await work({ decider: other });
    await until(async () => (await store.announced()).length === 2);
    close();
    await expect(submit(queries(1), { configuration: undefined })).rejects.toThrow('several configurations');
  });

  it('waits as long as it is told for a worker that is still coming up', async () => {
    const late = { configuration: undefined, waitForWorkersMs: 60_000 };
    const running = submit(queries(2), { ...late, wait: true });
    const named = submit(queries(1, 'n'), { ...late, configuration });
    let ended = false;
    void Promise.race([running, named]).finally(() => {
      ended = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(ended).toBe(false);
    await work();
    expect((await running).records.map(({ schema }) => schema)).toEqual(Array(2).fill('pragaura.decision/4'));
    expect((await named).records).toMatchObject([{ id: 'n0', status: 'queued' }]);
  });

  it('ends with a typed error when no worker comes, or only others do', async () => {
    await expect(
      submit(queries(1), { configuration: undefined, waitForWorkersMs: 300 }),
    ).rejects.toMatchObject({ code: 'NO_WORKER', exitCode: 69 });
    await work();
    const { store, close } = await storeAt(redis.url, queue);
    await until(async () => (await store.announced()).length === 1);
    close();
    await expect(submit(queries(1), { configuration: 'b'.repeat(64), waitForWorkersMs: 0 })).rejects.toThrow(
      'No worker of the configuration bbbbbbbbbbbbbbbb has announced itself',
    );
    expect(await waiting()).toBe(0);
  });

  it('stops waiting for workers when it is interrupted', async () => {
    const stop = new AbortController();
    const running = submit(queries(1), {
      configuration: undefined,
      waitForWorkersMs: 60_000,
      signal: stop.signal,
    });
    setTimeout(() => stop.abort(), 100);
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a ledger', () => {
  it('holds each job once, in order, whatever is submitted again', async () => {
    await submit(queries(5), { ledger });
    await submit(queries(7), { ledger });
    expect(await ledgerIds()).toEqual(queries(7).map(({ id }) => id));
  });

  it('survives a line that was cut short, and refuses what is no ledger', async () => {
    await submit(queries(2), { ledger });
    appendFileSync(ledger, '{"jobId":"q');
    expect(await ledgerIds()).toEqual(['q0', 'q1']);
    await submit(queries(3), { ledger });
    expect(await ledgerIds()).toEqual(['q0', 'q1', 'q2']);
    expect(readFileSync(ledger, 'utf8')).toMatch(/\}\n$/);
    appendFileSync(ledger, '{"hello":1}\n');
    await expect(submit(queries(3), { ledger })).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });

  it('notices a Redis that came back empty, and submits again on request', async () => {
    const own = await startRedis({ aof: true });
    const at = { redis: own.url, ledger };
    await submit(queries(10), at);
    await own.kill();
    await own.start({ empty: true });
    await expect(submit(queries(12), at)).rejects.toMatchObject({
      code: 'JOB_LOST',
      message: expect.stringContaining('10 jobs'),
      hint: expect.stringContaining('--resubmit'),
    });
    // Stopped before it was through, the ledger does not pretend to be of the new Redis.
    expect((await submit([], { ...at, resubmit: true, signal: AbortSignal.abort() })).code).toBe(130);
    await expect(submit(queries(12), at)).rejects.toMatchObject({ code: 'JOB_LOST' });
    const { code, said } = await submit([], { ...at, resubmit: true });
    expect({ code, said }).toEqual({
      code: 0,
      said: [expect.stringContaining('10 jobs were submitted again')],
    });
    const after = await submit(queries(12), at);
    expect(after.records.map(({ status }) => status)).toEqual([
      ...Array(10).fill('known'),
      'queued',
      'queued',
    ]);
    await own.close();
  });

  it('is written by one process at a time', async () => {
    const running = submit(queries(5), { ledger, mostWaiting: 0 + 1, window: 1 });
    await until(async () => (await waiting()) === 1);
    await expect(submit(queries(1), { ledger })).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await work();
    await running;
  });
});

describe('waiting for decisions', () => {
  it('outlives a Redis that is killed and comes back with its file', async () => {
    const own = await startRedis({ aof: 'always' });
    const slow = fakeDecider(() => new Promise((resolve) => setTimeout(resolve, 5)));
    const worker = await openWorker({ redis: own.url, queue, decider: slow, lockMs: 1_000 });
    const running = submit(queries(400), { redis: own.url, wait: true, window: 100 });
    await until(() => slow.routed.length > 100);
    await own.kill();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await own.start();
    const { code, records } = await running;
    expect(code).toBe(0);
    expect(records.map(({ id }) => id)).toEqual(queries(400).map(({ id }) => id));
    await worker.drain(1_000);
    await own.close();
  });

  it('begins with a Redis that is restarted between the first connection and the second', async () => {
    const wire = await startBadWire(redis.port);
    await work();
    wire.refuse(1);
    const said: string[] = [];
    const at = { redis: `redis://127.0.0.1:${wire.port}`, wait: true };
    const running = submit(queries(3), { ...at, say: (message: string) => said.push(message) });
    await Promise.race([running, until(() => said.length > 0)]);
    await redis.kill();
    await redis.start();
    wire.clear();
    expect((await running).records.map(({ id }) => id)).toEqual(queries(3).map(({ id }) => id));
    await wire.close();
  });

  it('says which jobs an empty Redis lost, or submits them again', async () => {
    for (const resubmit of [false, true]) {
      const own = await startRedis();
      const running = submit(queries(5), { redis: own.url, wait: true, resubmit });
      const { store, close } = await storeAt(own.url, queue);
      await until(async () => (await store.configurations()).size === 1);
      await new Promise((resolve) => setTimeout(resolve, 200));
      close();
      await own.kill();
      await own.start();
      const worker = resubmit ? await openWorker({ redis: own.url, queue, decider }) : null;
      const { code, records } = await running;
      expect(code).toBe(resubmit ? 0 : 69);
      expect(records.length).toBe(5);
      const lost = records.filter(
        (record) => (record.error as { code: string } | undefined)?.code === 'JOB_LOST',
      );
      expect(lost.length).toBe(resubmit ? 0 : 5);
      await worker?.drain(1_000);
      await own.close();
    }
  });

  it('loses nothing of what a full Redis refuses', async () => {
    const own = await startRedis({ aof: true, maxmemory: '6mb' });
    const long = queries(300).map((query) => ({ ...query, query: query.query.padEnd(20_000, '.') }));
    const at = { redis: own.url, ledger, window: 50 };
    const { code, records, said } = await submit(long, { ...at, patienceMs: 300 });
    expect(code).toBe(69);
    expect(said.join()).toContain('OOM');
    const refused = records.filter(
      (record) => (record.error as { code: string } | undefined)?.code === 'QUEUE_UNAVAILABLE',
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(300);
    const { client, close } = await storeAt(own.url, queue);
    await client.config('SET', 'maxmemory', '0');
    close();
    const worker = await openWorker({ redis: own.url, queue, decider });
    const all = await submit(long, { ...at, wait: true });
    expect(all.code).toBe(0);
    expect(new Set(decider.routed).size).toBe(300);
    expect(decider.routed.length).toBe(300);
    await worker.drain(1_000);
    await own.close();
  });

  it('goes on by itself in a full Redis, once what fills it was read', async () => {
    const own = await startRedis();
    const long = queries(150).map((query) => ({ ...query, query: query.query.padEnd(20_000, '.') }));
    const worker = await openWorker({ redis: own.url, queue, decider });
    expect((await submit(long, { redis: own.url, wait: true })).code).toBe(0);
    await worker.drain(1_000);
    await submit(queries(5, 'more'), { redis: own.url });
    const { client, store, close } = await storeAt(own.url, queue);
    const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))![1]);
    await client.config('SET', 'maxmemory', `${used - 50_000}`);
    const later = await openWorker({ redis: own.url, queue, decider });
    await until(() => decider.routed.length === 155);
    await until(async () => (await store.tally()).results === 55);
    close();
    await later.drain(1_000);
    await own.close();
  });
});
