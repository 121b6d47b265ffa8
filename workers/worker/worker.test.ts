/** A worker on a real Redis, with a decider that costs nothing. */
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { startBadWire } from '../faults/bad-wire.ts';
import { keysOf, Lane, laneName } from '../queue/index.ts';
import { type FakeDecider, fakeDecider, fakeDecision } from '../testing/fake-decider.ts';
import { storeAt, submitted, until } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import type { JobError, JobSight } from '../types.ts';
import { openWorker, type QueueWorker, type WorkerOptions } from './index.ts';

let redis: RedisServer;
let queue = '';
let count = 0;
const workers: QueueWorker[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());
beforeEach(() => {
  queue = `q${count++}`;
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.drain(0)));
});

async function work(decider: FakeDecider, options: Partial<WorkerOptions> = {}): Promise<QueueWorker> {
  const worker = await openWorker({ redis: redis.url, queue, decider, ...options });
  workers.push(worker);
  return worker;
}
const submit = (lines: (object | string)[], decider: FakeDecider, options = {}) =>
  submitted(lines, { redis: redis.url, queue, configuration: decider.configuration, ...options });
const gate = () => {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
};
const query = (id: string, more = {}) => ({ id, query: `What is ${id}?`, ...more });

describe('a worker', () => {
  it('decides what is submitted, and gives what the router gave', async () => {
    const decider = fakeDecider();
    await work(decider);
    const ids = ['with:colon', '12345', '__proto__', '{braces}', ' \u0000 ', 'ü'.repeat(512), '*'];
    const { code, records, said } = await submit(
      ids.map((id) => query(id)),
      decider,
      { wait: true },
    );
    expect({ code, said }).toEqual({ code: 0, said: [] });
    expect(records).toEqual(ids.map((id) => fakeDecision({ id, query: `What is ${id}?` })));
  });

  it('waits for a Redis that is away when it opens, as long as it is told to', async () => {
    const wire = await startBadWire(redis.port);
    wire.refuse();
    const url = `redis://127.0.0.1:${wire.port}`;
    const said: string[] = [];
    const opening = work(fakeDecider(), { redis: url, patience: { say: (message) => said.push(message) } });
    await Promise.race([opening, until(() => said.length > 0)]);
    wire.clear();
    await (await opening).drain(0);
    wire.refuse();
    const impatient = work(fakeDecider(), { redis: url, patience: { ms: 0 } });
    await expect(impatient).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
    await wire.close();
  });

  it('takes jobs of its own configuration only, however many share the queue', async () => {
    const [one, other] = [fakeDecider(undefined, 'a'), fakeDecider(undefined, 'b')];
    await work(one);
    await work(other);
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
    await Promise.all([
      submit(
        names.map((id) => query(`a-${id}`)),
        one,
        { wait: true },
      ),
      submit(
        names.map((id) => query(`b-${id}`)),
        other,
        { wait: true },
      ),
    ]);
    expect(one.routed.sort()).toEqual(names.map((id) => `a-${id}`).sort());
    expect(other.routed.sort()).toEqual(names.map((id) => `b-${id}`).sort());
  });

  it('tells the query that cannot be decided once, without trying again, and keeps a dead letter', async () => {
    const failures: [Partial<JobSight>, JobError, boolean][] = [];
    const decider = fakeDecider(({ id }) => {
      if (id === 'bad') throw new PragauraError('INVALID_INPUT', 'It does not fit.', { hint: 'Mend it.' });
      if (id === 'defect') throw new TypeError('x is not a function');
    });
    await work(decider, { observer: { failed: (...all) => failures.push(all) } });
    const { code, records } = await submit(
      ['bad', 'good', 'defect'].map((id) => query(id)),
      decider,
      { wait: true },
    );
    expect(code).toBe(70);
    expect(records[0]).toEqual({
      schema: 'pragaura.error/1',
      id: 'bad',
      line: 1,
      error: { code: 'INVALID_INPUT', message: 'It does not fit.', hint: 'Mend it.' },
    });
    expect(records[1]).toMatchObject({ id: 'good', schema: 'pragaura.decision/4' });
    expect(records[2]).toMatchObject({ id: 'defect', error: { code: 'INTERNAL' } });
    expect(decider.routed.sort()).toEqual(['bad', 'defect', 'good']);
    expect(failures.map(([, { code }, final]) => [code, final]).sort()).toEqual([
      ['INTERNAL', true],
      ['INVALID_INPUT', true],
    ]);
    const { client, close } = await storeAt(redis.url, queue);
    const lane = new Lane({ client, queue, configuration: decider.configuration });
    await until(async () => (await lane.counts()).dead === 2);
    const [first] = (await lane.dead(0, 10)).filter(({ id }) => id === 'bad');
    expect(first).toMatchObject({
      reason: 'INVALID_INPUT: It does not fit.',
      attempts: 1,
      tenant: 'default',
    });
    close();
  });

  it('tries again what may pass, and says what it ended with when it does not', async () => {
    const fails = new Map([
      ['once', 1],
      ['always', Number.POSITIVE_INFINITY],
    ]);
    const decider = fakeDecider(({ id }) => {
      const left = fails.get(id) ?? 0;
      fails.set(id, left - 1);
      if (left > 0) throw new PragauraError('SCORING_FAILED', 'A thread died.');
    });
    const finals: boolean[] = [];
    await work(decider, { observer: { failed: (_, __, final) => finals.push(final) } });
    const { code, records } = await submit([query('once'), query('always')], decider, {
      wait: true,
      tries: { attempts: 3, backoffMs: 20 },
    });
    expect(code).toBe(69);
    expect(records[0]).toMatchObject({ id: 'once', action: 'ABSTAIN' });
    expect(records[1]).toMatchObject({
      id: 'always',
      error: { code: 'SCORING_FAILED', message: 'A thread died.' },
    });
    expect(decider.routed.filter((id) => id === 'once').length).toBe(2);
    expect(decider.routed.filter((id) => id === 'always').length).toBe(3);
    expect(finals.filter((final) => final)).toEqual([true]);
  });

  it('puts a job that nobody submitted among the dead letters and answers nobody', async () => {
    const decider = fakeDecider();
    const failed: string[] = [];
    await work(decider, {
      observer: { failed: ({ jobId }, { message }) => failed.push(`${jobId} ${message}`) },
    });
    const foreign = new Queue(laneName(decider.configuration), {
      connection: { port: redis.port, maxRetriesPerRequest: null },
      prefix: keysOf(queue).prefix,
    });
    await foreign.add('route', { hello: 'secret text' }, { jobId: 'mine', attempts: 9 });
    await foreign.add('route', 'just text', { jobId: 'yours' });
    await until(() => failed.length === 2);
    expect(failed.sort()).toEqual([
      expect.stringMatching(/^mine A job that "pragaura submit" did not add/),
      expect.stringMatching(/^yours A job/),
    ]);
    expect(failed.join()).not.toContain('secret');
    await until(async () => (await foreign.getFailedCount()) === 2);
    const { store, close } = await storeAt(redis.url, queue);
    expect(await store.newest()).toBe('0-0');
    close();
    await foreign.close();
    const { records } = await submit([query('still works')], decider, { wait: true });
    expect(records[0]).toMatchObject({ id: 'still works', action: 'ABSTAIN' });
  });

  it('answers a job past its deadline without deciding it, by the clock of Redis', async () => {
    const decider = fakeDecider();
    const deadlines: (number | undefined)[] = [];
    decider.route = async (asked) => {
      deadlines.push(asked.deadlineMs);
      return fakeDecision(asked);
    };
    const pending = submit(
      [query('late', { deadlineMs: 1 }), query('soon', { deadlineMs: 60_000 })],
      decider,
      { wait: true },
    );
    const { store, close } = await storeAt(redis.url, queue);
    await until(
      async () => (await store.inQueue(decider.configuration, [(await jobIds(store, ['late']))[0]!]))[0]!,
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    await work(decider);
    const { code, records } = await pending;
    close();
    expect(code).toBe(0);
    expect(records[0]).toMatchObject({ action: 'ABSTAIN', abstention: { reason: 'DEADLINE_EXCEEDED' } });
    // What is left of the deadline counts; what was asked for is shown.
    expect(records[1]).toMatchObject({
      abstention: { reason: 'NO_RESULTS' },
      receipt: { budget: { ms: 60_000 } },
    });
    expect(deadlines.length).toBe(1);
    expect(deadlines[0]).toBeLessThan(60_000);
    expect(deadlines[0]).toBeGreaterThan(30_000);
  });

  it('lets interactive jobs overtake bulk ones, and tenants take turns', async () => {
    const decider = fakeDecider();
    const names = (tenant: string, many: number) =>
      Array.from({ length: many }, (_, i) => query(`${tenant}${i}`));
    await submit(names('a', 30), decider, { tenant: 'a' });
    await submit(names('b', 3), decider, { tenant: 'b' });
    await submit(names('i', 2), decider, { tenant: 'c', priority: 'interactive' });
    await work(decider, { concurrency: 1 });
    await until(() => decider.routed.length === 35);
    expect(decider.routed.slice(0, 2)).toEqual(['i0', 'i1']);
    expect(decider.routed.slice(2, 8)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
    expect(decider.routed.slice(8)).toEqual(
      names('a', 30)
        .slice(3)
        .map(({ id }) => id),
    );
  });

  it('gives a tenant that comes late its turn, and no credit for having been away', async () => {
    const a5 = gate();
    const decider = fakeDecider(async ({ id }) => {
      if (id === 'a5') await a5.passed;
    });
    const names = (tenant: string, many: number) =>
      Array.from({ length: many }, (_, i) => query(`${tenant}${i}`));
    await submit(names('a', 20), decider, { tenant: 'a' });
    await work(decider, { concurrency: 1 });
    await until(() => decider.routed.includes('a5'));
    await submit(names('b', 6), decider, { tenant: 'b' });
    a5.open();
    await until(() => decider.routed.length === 26);
    const after = decider.routed.slice(6, 16).map((id) => id[0]);
    expect(after.filter((tenant) => tenant === 'a').length).toBeGreaterThanOrEqual(4);
    expect(after.filter((tenant) => tenant === 'b').length).toBeGreaterThanOrEqual(4);
  });

  it('lets tenants take turns however many jobs the line has seen, and forgets no place in it', async () => {
    const [first, a14] = [gate(), gate()];
    const failed = new Set<string>();
    const decider = fakeDecider(async ({ id }) => {
      if (id === 'first') await first.passed;
      if (id === 'a14') await a14.passed;
      if (id !== 'a3' || failed.has(id)) return;
      failed.add(id);
      throw new PragauraError('SCORING_FAILED', 'It may pass.');
    });
    const names = (tenant: string, many: number) =>
      Array.from({ length: many }, (_, i) => query(`${tenant}${i}`));
    await work(decider, { concurrency: 1 });
    await submit([query('first')], decider, { tenant: 'a' });
    await until(() => decider.routed.includes('first'));
    const { client, store, close } = await storeAt(redis.url, queue);
    const lane = store.keys.lane(decider.configuration);
    // As after half a million jobs: where places in line begin at 1 again.
    const half = 2 ** 19;
    await client.hset(store.keys.fair(decider.configuration), 'top:bulk', half - 10, 'bulk:a', half - 11);
    await submit(names('a', 30), decider, { tenant: 'a', tries: { attempts: 2, backoffMs: 60_000 } });
    first.open();
    await until(() => decider.routed.includes('a14'));
    const tags = async (set: string) => {
      const ids = await client.zrange(`${lane}${set}`, '0', '-1');
      const priorities = await Promise.all(ids.map((id) => client.hget(`${lane}${id}`, 'priority')));
      return priorities.map((priority) => Number(priority) - (2 ** 20 - 1));
    };
    expect(await tags('delayed')).toEqual([half - 7]);
    expect((await tags('prioritized'))[0]).toBe(half + 5);
    await submit(names('b', 6), decider, { tenant: 'b' });
    expect(await tags('delayed')).toEqual([1]);
    expect((await tags('prioritized')).slice(0, 6)).toEqual([1, 1, 2, 2, 3, 3]);
    a14.open();
    await until(() => decider.routed.length === 37);
    const after = decider.routed.slice(decider.routed.indexOf('a14') + 1);
    expect(after.slice(0, 8)).toEqual(['a15', 'b0', 'a16', 'b1', 'a17', 'b2', 'a18', 'b3']);
    close();
  });

  it('keeps to a rate', async () => {
    const decider = fakeDecider();
    await submit(
      Array.from({ length: 7 }, (_, i) => query(`r${i}`)),
      decider,
    );
    const began = performance.now();
    await work(decider, { rateLimit: 3 });
    await until(() => decider.routed.length === 7);
    expect(performance.now() - began).toBeGreaterThan(1_900);
  });

  it('keeps text out of what Redis logs', async () => {
    const { client, close } = await storeAt(redis.url, queue);
    await client.config('SET', 'slowlog-log-slower-than', '0');
    await client.config('SET', 'slowlog-max-len', '4096');
    const decider = fakeDecider();
    await work(decider);
    await submit([{ id: 'x', query: 'zebra '.repeat(200) }], decider, { wait: true });
    const log = JSON.stringify(await client.slowlog('GET', '-1'));
    await client.config('SET', 'slowlog-log-slower-than', '10000');
    expect(log).toContain('pragaura.job/1');
    expect(log).toContain('pragaura.result/1');
    expect(log).not.toContain('zebra');
    close();
  });

  it('takes a payload of a megabyte', async () => {
    const decider = fakeDecider();
    await work(decider);
    const text = 'é'.repeat(1_000_000);
    const { code, records } = await submit([{ id: 'big', query: text }], decider, { wait: true });
    expect(code).toBe(0);
    expect(records[0]!.query).toBe(text);
  });
});

describe('a dead letter', () => {
  it('is tried again on request, with a result of its own, which readers get once more', async () => {
    let broken = true;
    const decider = fakeDecider(() => {
      if (broken) throw new PragauraError('INVALID_INPUT', 'No.');
    });
    await work(decider);
    expect((await submit([query('x')], decider, { wait: true })).code).toBe(65);
    const { client, store, close } = await storeAt(redis.url, queue);
    const lane = new Lane({ client, queue, configuration: decider.configuration });
    await until(async () => (await lane.counts()).dead === 1);
    const [letter] = await lane.dead(0, 0);
    broken = false;
    expect(await lane.retry(letter!.jobId, () => store.forget(letter!.jobId))).toBe(true);
    await until(async () => (await store.lookUp([letter!.jobId]))[0]?.decision !== undefined);
    expect((await store.lookUp([letter!.jobId]))[0]).toMatchObject({ generation: 1, id: 'x' });
    expect((await store.done('0-0', 10, null)).length).toBe(1);
    expect(await lane.retry(letter!.jobId)).toBe(false);
    close();
  });
});

describe('leaving', () => {
  it('finishes what it has within its time', async () => {
    const decider = fakeDecider(() => new Promise((resolve) => setTimeout(resolve, 200)));
    const worker = await work(decider, { concurrency: 4 });
    await submit(
      Array.from({ length: 20 }, (_, i) => query(`d${i}`)),
      decider,
    );
    await until(() => worker.active === 4);
    const report = await worker.drain(300_000);
    expect(report).toMatchObject({ finished: 4, handedBack: 0 });
    expect(report.ms).toBeLessThan(150_000);
    expect(decider.routed.length).toBe(4);
  });

  it('hands back what does not end in time, and another worker has it at once', async () => {
    const slow = fakeDecider(
      (_, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new PragauraError('ABORTED', 'Cancelled.'))),
        ),
    );
    const worker = await work(slow, { concurrency: 3 });
    const names = Array.from({ length: 5 }, (_, i) => query(`h${i}`));
    const pending = submit(names, slow, { wait: true });
    await until(() => worker.active === 3);
    const report = await worker.drain(100);
    expect(report).toMatchObject({ finished: 0, handedBack: 3 });
    await work(fakeDecider());
    const { code, records } = await pending;
    expect(code).toBe(0);
    expect(records.map(({ id }) => id)).toEqual(names.map(({ id }) => id));
  });
});

async function jobIds(_: unknown, ids: string[]): Promise<string[]> {
  const { jobIdOf } = await import('../queue/index.ts');
  return ids.map((id) => jobIdOf('default', id, 'a'.repeat(64)));
}
