/** Reading results on a real Redis: each once, in order if asked, whoever dies when. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { startBadWire } from '../faults/bad-wire.ts';
import { Lane, type QueueStore } from '../queue/index.ts';
import { fakeDecider, fakeDecision } from '../testing/fake-decider.ts';
import { kept, type Ran, recordsIn, storeAt, submitted, until } from '../testing/queue.ts';
import { type RedisServer, startRedis } from '../testing/redis.ts';
import type { JobResult } from '../types.ts';
import { openWorker, type QueueWorker, type WorkerOptions } from '../worker/index.ts';
import { type ResultsOptions, runResults } from './index.ts';
import { Journal } from './journal.ts';
import { streamOutput } from './output.ts';
import { ResultReader } from './read.ts';

const folder = mkdtempSync(join(tmpdir(), 'pragaura-results-'));
let redis: RedisServer;
let queue = '';
let files = { ledger: '', out: '', cursor: '' };
let count = 0;
const workers: QueueWorker[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  queue = `q${count++}`;
  files = {
    ledger: join(folder, `${queue}.ledger`),
    out: join(folder, `${queue}.out`),
    cursor: join(folder, `${queue}.c`),
  };
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.drain(0))));

const decider = fakeDecider();
const submit = (lines: object[], options = {}) =>
  submitted(lines, { redis: redis.url, queue, configuration: decider.configuration, ...options });
const queries = (many: number, prefix = 'q') =>
  Array.from({ length: many }, (_, i) => ({ id: `${prefix}${i}`, query: `What is ${i}?` }));
const idsOf = (many: number, prefix = 'q') => queries(many, prefix).map(({ id }) => id);
async function work(options: Partial<WorkerOptions> = {}) {
  const worker = await openWorker({ redis: redis.url, queue, decider, ...options });
  workers.push(worker);
  return worker;
}
async function read(options: Partial<ResultsOptions> = {}): Promise<Ran & { text: string }> {
  const output = kept();
  const said: string[] = [];
  const code = await runResults({
    redis: redis.url,
    queue,
    tenant: undefined,
    follow: false,
    ordered: false,
    ledger: undefined,
    cursor: undefined,
    out: undefined,
    output,
    say: (message) => said.push(message),
    signal: new AbortController().signal,
    ...options,
  });
  return { code, records: recordsIn(output.text), said, text: output.text };
}
async function done(many: number) {
  const { store, close } = await storeAt(redis.url, queue);
  await until(async () => (await store.tally()).results === many);
  close();
}
function readerOf(store: QueueStore, output: ReturnType<typeof kept>, said: string[]): ResultReader {
  return new ResultReader({
    listening: store,
    store,
    journal: Journal.forgetful(),
    output: streamOutput(output),
    signal: new AbortController().signal,
    say: (message) => said.push(message),
    progress: () => {},
  });
}
const idsIn = (file: string) => recordsIn(readFileSync(file, 'utf8')).map(({ id }) => id);

describe('results', () => {
  it('are all that are kept, again and again without a cursor, and each once with one', async () => {
    await work();
    await submit(queries(250));
    await done(250);
    for (const cursor of [undefined, undefined, files.cursor]) {
      const { code, records } = await read({ cursor });
      expect(code).toBe(0);
      expect(records.map(({ id }) => id).sort()).toEqual(idsOf(250).sort());
    }
    expect((await read({ cursor: files.cursor })).records).toEqual([]);
    await submit(queries(3, 'more'));
    await done(253);
    expect((await read({ cursor: files.cursor })).records.map(({ id }) => id).sort()).toEqual(
      idsOf(3, 'more'),
    );
  });

  it('are those of one tenant if asked', async () => {
    await work();
    await submit(queries(5, 'a'), { tenant: 'a' });
    await submit(queries(5, 'b'), { tenant: 'b' });
    await done(10);
    expect((await read({ tenant: 'b' })).records.map(({ id }) => id).sort()).toEqual(idsOf(5, 'b'));
  });

  it('hold error records with the exit code of bad lines', async () => {
    const failing = fakeDecider(() => {
      throw new PragauraError('INVALID_INPUT', 'No.');
    });
    await work({ decider: failing });
    await submit(queries(1));
    await done(1);
    const { code, records } = await read();
    expect(code).toBe(65);
    expect(records).toEqual([
      { schema: 'pragaura.error/1', id: 'q0', line: null, error: { code: 'INVALID_INPUT', message: 'No.' } },
    ]);
  });

  it('come as they are made with --follow, until stopped', async () => {
    const stop = new AbortController();
    const output = kept();
    const reading = read({ follow: true, output, signal: stop.signal });
    await work();
    await submit(queries(30));
    await until(() => recordsIn(output.text).length === 30);
    stop.abort();
    expect((await reading).code).toBe(130);
  });

  it('can be read from a full Redis, and make room there for those to come', async () => {
    const own = await startRedis();
    const worker = await openWorker({ redis: own.url, queue, decider });
    await submit(queries(150), { redis: own.url });
    const { client, store, close } = await storeAt(own.url, queue);
    await until(async () => (await store.tally()).results === 150);
    await worker.drain(1_000);
    const [entry] = await store.done('0-0', 1, null);
    const [some] = (await store.lookUp([entry!.jobId])) as [JobResult];
    const finish = (jobId: string) => store.finish({ ...some, jobId });
    await client.config('SET', 'maxmemory', '1');
    await expect(finish('qUnread')).rejects.toThrow('OOM');
    await expect(store.keep({ results: 200, ms: 60_000 })).rejects.toThrow('OOM');
    expect(await store.tally()).toMatchObject({ results: 150, collected: 0 });
    const { code, records } = await read({ redis: own.url, cursor: files.cursor });
    expect([code, records.length]).toEqual([0, 150]);
    expect(await finish(some.jobId)).toBe(false);
    expect(await finish('qOne')).toBe(true);
    expect(await store.tally()).toMatchObject({ results: 51, collected: 50 });
    await store.keep({ results: 200, ms: 60_000 });
    expect(await store.tally()).toMatchObject({ results: 1, collected: 0 });
    expect(await store.lookUp(['qOne'])).toEqual([expect.objectContaining({ jobId: 'qOne' })]);
    await expect(finish('qTwo')).rejects.toThrow('OOM');
    close();
    await own.close();
  });

  it('end quietly when nobody reads them, and come again then', async () => {
    await work();
    await submit(queries(10));
    await done(10);
    const gone = new Writable({
      write: (_, __, callback) =>
        callback(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })),
    });
    expect((await read({ output: gone, cursor: files.cursor })).code).toBe(0);
    expect((await read({ cursor: files.cursor })).records.length).toBe(10);
  });
});

describe('the results of a ledger', () => {
  it('are in its order, waited for, and no others', async () => {
    await work({
      concurrency: 16,
      decider: fakeDecider(({ id }) => new Promise((go) => setTimeout(go, 50 - (Number(id.slice(1)) % 50)))),
    });
    await submit(queries(20, 'x'));
    await submit(queries(230), { ledger: files.ledger });
    const { code, records } = await read({ ledger: files.ledger, ordered: true });
    expect(code).toBe(0);
    expect(records.map(({ id }) => id)).toEqual(idsOf(230));
    const unordered = await read({ ledger: files.ledger });
    expect(unordered.records.map(({ id }) => id).sort()).toEqual(idsOf(230).sort());
  });

  it('are found whatever the cursor has passed, and leave the others to be read', async () => {
    const other = join(folder, `${queue}.other`);
    const { cursor } = files;
    await work();
    await submit(queries(3), { ledger: files.ledger });
    await submit(queries(3, 'o'), { ledger: other });
    await submit(queries(2, 'x'));
    await done(8);
    const idsRead = async (options: Partial<ResultsOptions>) =>
      (await read({ cursor, ...options })).records.map(({ id }) => id).sort();
    expect(await idsRead({ ledger: files.ledger })).toEqual(idsOf(3));
    expect(await idsRead({ ledger: other })).toEqual(idsOf(3, 'o'));
    expect(await idsRead({ ledger: files.ledger })).toEqual([]);
    expect(await idsRead({})).toEqual(idsOf(2, 'x'));
  });

  it('are each in its order where one cursor meets several ledgers', async () => {
    const other = join(folder, `${queue}.other`);
    const { cursor } = files;
    await work();
    await submit(queries(3), { ledger: files.ledger });
    await submit(queries(5, 'o'), { ledger: other });
    const idsRead = async (ledger: string) =>
      (await read({ cursor, ledger, ordered: true })).records.map(({ id }) => id);
    expect(await idsRead(files.ledger)).toEqual(idsOf(3));
    expect(await idsRead(other)).toEqual(idsOf(5, 'o'));
    await submit(queries(6, 'o'), { ledger: other });
    expect(await idsRead(other)).toEqual(['o5']);
    // What was written is done with, also when Redis keeps it no more.
    const { store, close } = await storeAt(redis.url, queue);
    for (const { jobId } of await store.done('0-0', 100, null)) await store.forget(jobId);
    close();
    await submit(queries(4, 'late'), { ledger: files.ledger });
    expect(await idsRead(files.ledger)).toEqual(idsOf(4, 'late'));
  });

  it('are those of one tenant if asked', async () => {
    await submit(queries(2, 'a'), { tenant: 'a', ledger: files.ledger });
    await submit(queries(2, 'b'), { tenant: 'b', ledger: files.ledger });
    await work();
    for (const ordered of [true, false]) {
      const { records } = await read({ ledger: files.ledger, tenant: 'b', ordered });
      expect(records.map(({ id }) => id).sort()).toEqual(idsOf(2, 'b'));
    }
  });

  it('count when they were decided anew', async () => {
    let broken = true;
    const failing = fakeDecider(() => {
      if (broken) throw new PragauraError('INVALID_INPUT', 'No.');
    });
    await work({ decider: failing });
    const [job] = (await submit(queries(1), { ledger: files.ledger })).records;
    const jobId = job!.jobId as string;
    const { client, store, close } = await storeAt(redis.url, queue);
    const lane = new Lane({ client, queue, configuration: decider.configuration });
    await until(async () => (await lane.counts()).dead === 1);
    broken = false;
    await lane.retry(jobId, () => store.forget(jobId));
    const at = { ledger: files.ledger, cursor: files.cursor };
    expect((await read(at)).records).toEqual([expect.objectContaining({ action: 'ABSTAIN' })]);
    await store.forget(jobId);
    expect(await read(at)).toMatchObject({ code: 0, records: [] });
    close();
  });

  it('are waited for when they are taken back between being announced and being read', async () => {
    const result = {
      jobId: 'qx',
      generation: 1,
      id: 'x',
      decision: fakeDecision({ id: 'x', query: 'Who?' }),
    };
    const entries = ['1-0', '2-0'].map((entry) => ({ entry, jobId: 'qx', tenant: 't' }));
    const found = [null, result];
    const store = {
      epoch: async () => 'e',
      collect: async () => {},
      lookUp: async (jobIds: string[]) => (jobIds.length === 0 ? [] : [found.shift()]),
      done: async (after: string) => entries.filter(({ entry }) => entry > after).slice(0, 1),
    } as unknown as QueueStore;
    const output = kept();
    const reader = readerOf(store, output, []);
    await reader.asTheyCome(null, false, new Map([['qx', { jobId: 'qx', configuration: 'c' }]]));
    expect(recordsIn(output.text).map(({ id }) => id)).toEqual(['x']);
  });

  it('are waited for when Redis goes away before the first look', async () => {
    const { client, store, close } = await storeAt(redis.url, queue);
    const said: string[] = [];
    const reader = readerOf(store, kept(), said);
    client.disconnect(true);
    await reader.warnOfUnread();
    expect(said).toEqual([expect.stringContaining('trying again')]);
    close();
  });

  it('are waited for when Redis is restarted between the first connection and the second', async () => {
    const own = await startRedis({ aof: 'always' });
    const wire = await startBadWire(own.port);
    await submit(queries(3), { redis: own.url, ledger: files.ledger });
    wire.refuse(1);
    const said: string[] = [];
    const at = { redis: `redis://127.0.0.1:${wire.port}`, ledger: files.ledger };
    const reading = read({ ...at, say: (message) => said.push(message) });
    await Promise.race([reading, until(() => said.length > 0)]);
    await own.kill();
    await own.start();
    wire.clear();
    const worker = await openWorker({ redis: own.url, queue, decider });
    expect((await reading).records.map(({ id }) => id).sort()).toEqual(idsOf(3));
    // Each of the two connections may say it.
    for (const line of said) expect(line).toContain('trying again');
    await worker.drain(1_000);
    await wire.close();
    await own.close();
  });

  it('stop at a job that Redis has lost, and go on when it was submitted again', async () => {
    const own = await startRedis({ aof: true });
    const at = { redis: own.url };
    await submit(queries(4), { ...at, ledger: files.ledger });
    await own.kill();
    await own.start({ empty: true });
    for (const ordered of [true, false]) {
      await expect(read({ ...at, ledger: files.ledger, ordered, out: files.out })).rejects.toMatchObject({
        code: 'JOB_LOST',
      });
    }
    await submit([], { ...at, ledger: files.ledger, resubmit: true });
    const worker = await openWorker({ redis: own.url, queue, decider });
    expect((await read({ ...at, ledger: files.ledger, ordered: true, out: files.out })).code).toBe(0);
    expect(idsIn(files.out)).toEqual(idsOf(4));
    await worker.drain(1_000);
    await own.close();
  });
});

describe('a file of results', () => {
  it('is cut back to what was noted, so that nothing comes twice after a crash', async () => {
    await work();
    await submit(queries(5));
    await done(5);
    await read({ out: files.out });
    // As if it had died after writing and before noting, in the middle of a line.
    const whole = readFileSync(files.out, 'utf8');
    appendFileSync(files.out, `${whole.split('\n')[0]}\n{"schema":"pragau`);
    appendFileSync(`${files.out}.cursor`, '{"epoch":"x","af');
    await submit(queries(3, 'more'));
    await done(8);
    const { code } = await read({ out: files.out });
    expect(code).toBe(0);
    expect(readFileSync(files.out, 'utf8').startsWith(whole)).toBe(true);
    expect(idsIn(files.out).sort()).toEqual([...idsOf(3, 'more'), ...idsOf(5)].sort());
  });

  it('holds each id once, also when Redis came back without its last second', async () => {
    const own = await startRedis({ aof: true });
    const at = { redis: own.url };
    const worker = await openWorker({ redis: own.url, queue, decider });
    await submit(queries(20), { ...at, ledger: files.ledger });
    await read({ ...at, ledger: files.ledger, out: files.out });
    await own.kill();
    await own.start({ empty: true });
    await submit([], { ...at, ledger: files.ledger, resubmit: true });
    await submit(queries(25), { ...at, ledger: files.ledger });
    const { said } = await read({ ...at, ledger: files.ledger, out: files.out });
    expect(said.join()).toContain('came back empty');
    expect(idsIn(files.out).sort()).toEqual(idsOf(25).sort());
    await worker.drain(1_000);
    await own.close();
  });

  it('is refused when it is not the file of its cursor', async () => {
    await work();
    await submit(queries(5));
    await done(5);
    writeFileSync(files.out, 'mine\n');
    await expect(read({ out: files.out })).rejects.toMatchObject({ code: 'CONFIGURATION' });
    expect(readFileSync(files.out, 'utf8')).toBe('mine\n');
    rmSync(files.out);
    rmSync(`${files.out}.cursor`, { force: true });
    await read({ out: files.out });
    writeFileSync(files.out, '');
    await expect(read({ out: files.out })).rejects.toMatchObject({ code: 'CONFIGURATION' });
    writeFileSync(`${files.out}.cursor`, '{"hello":1}\n');
    await expect(read({ out: files.out })).rejects.toMatchObject({ code: 'UNREADABLE_DOCUMENT' });
  });

  it('that cannot be written loses nothing', async () => {
    await work();
    await submit(queries(5));
    await done(5);
    await expect(read({ out: '/dev/full', cursor: files.cursor })).rejects.toMatchObject({
      code: 'WRITE_FAILED',
    });
    expect((await read({ cursor: files.cursor })).records.length).toBe(5);
  });
});

describe('what nobody reads', () => {
  it('goes after its time, counted and told; its jobs can be submitted again', async () => {
    await work({ retention: { results: 100, ms: 300 } });
    await submit(queries(5));
    await done(5);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { store, close } = await storeAt(redis.url, queue);
    await store.expire();
    expect(await store.tally()).toEqual({ results: 0, collected: 0, unread: 5 });
    close();
    expect((await read()).said.join()).toContain('5 results were removed');
    expect((await submit(queries(5), { wait: true })).records.length).toBe(5);
  });

  it('is tried again when its error is gone and somebody submits it', async () => {
    let broken = true;
    await work({
      retention: { results: 100, ms: 300 },
      decider: fakeDecider(() => {
        if (broken) throw new PragauraError('INVALID_INPUT', 'No.');
      }),
    });
    expect((await submit(queries(1), { wait: true })).code).toBe(65);
    expect((await submit(queries(1), { wait: true })).code).toBe(65);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { store, close } = await storeAt(redis.url, queue);
    await store.expire();
    close();
    broken = false;
    expect((await submit(queries(1), { wait: true })).code).toBe(0);
  });
});
