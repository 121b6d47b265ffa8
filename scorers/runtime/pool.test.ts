import { afterEach, expect, test } from 'vitest';
import type { Batch } from '../types.ts';
import { Pool, StartFailure } from './pool.ts';
import type { ThreadModel, ThreadSetup } from './protocol.ts';

const FAKE = new URL('./testing/fake-thread.mjs', import.meta.url);
/** Shared with the fake threads: sequences seen, unlucky ones, whether no thread can start, threads alive. */
const log = new SharedArrayBuffer(16);
const sent = (): number => new Int32Array(log)[0]!;
const refuseStart = (yes: boolean) => Atomics.store(new Int32Array(log), 2, yes ? 1 : 0);
const alive = (): number => Atomics.load(new Int32Array(log), 3);
const setup = { provider: 'cpu', log } as ThreadSetup;
const models: Promise<ThreadModel[]> = Promise.resolve([
  {
    name: 'm',
    weights: new Uint8Array(new SharedArrayBuffer(1)),
    outputs: [
      { name: 'row', kind: 'row', width: 1 },
      { name: 'tokens', kind: 'tokens', width: 1 },
    ],
    declared: [],
    batching: 'single',
  },
]);
const of = (...firsts: number[]) =>
  firsts.map((first, i) => ({ ids: [first, ...new Array(i).fill(1)], second: 1 }));

let pools: Pool[] = [];
async function poolOf(threads: number): Promise<Pool> {
  new Int32Array(log).fill(0);
  const pool = new Pool(setup, models, FAKE);
  pools.push(pool);
  for (let i = 0; i < threads; i += 1) await pool.grow();
  return pool;
}
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
});

test('each sequence gets its own numbers back', async () => {
  const pool = await poolOf(2);
  const firsts = Array.from({ length: 200 }, (_, i) => i + 1000);
  const results = await pool.run('m', of(...firsts), {});
  expect(results.map(([row]) => row![0])).toEqual(firsts);
  expect(results.map(([, tokens]) => tokens!.length)).toEqual(firsts.map((_, i) => i + 1));
});

test('tells how full its batches are', async () => {
  const batches: Batch[] = [];
  const pool = new Pool(setup, models, FAKE, (batch) => batches.push(batch));
  pools.push(pool);
  await pool.grow();
  await pool.run('m', of(...Array.from({ length: 60 }, (_, i) => i + 1000)), {});
  expect(batches.reduce((sum, { sequences }) => sum + sequences, 0)).toBe(60);
  expect(batches.every(({ model, fill }) => model === 'm' && fill > 0 && fill <= 1)).toBe(true);
  const pieces = (60 * 61) / 2;
  expect(batches.reduce((sum, { fill }) => sum + fill, 0)).toBeCloseTo(pieces / 512, 9);
});

test('tells how long its threads were inside the runtime', async () => {
  const inside: number[] = [];
  const pool = new Pool(setup, models, FAKE, undefined, (ms) => inside.push(ms));
  pools.push(pool);
  await pool.grow();
  await pool.run('m', of(1, 2, 3), {});
  // The fake says one millisecond for every batch.
  expect(inside.length).toBeGreaterThan(0);
  expect(new Set(inside)).toEqual(new Set([1]));
});

test('calls of one tick share what they have in common', async () => {
  const pool = await poolOf(1);
  await Promise.all([pool.run('m', of(1, 2, 3), {}), pool.run('m', of(1, 2, 3), {})]);
  expect(sent()).toBe(3);
});

test('a thread that dies is replaced and its work done by another', async () => {
  const pool = await poolOf(2);
  const [row] = (await pool.run('m', of(13), {}))[0]!;
  expect(row![0]).toBe(13);
  expect(sent()).toBe(2);
  const results = await pool.run('m', of(1, 2, 3, 4), {});
  expect(results.map(([r]) => r![0])).toEqual([1, 2, 3, 4]);
});

test.each([666, 667, 500])(
  'a sequence that fails twice (%i) fails its caller and nobody else',
  async (poison) => {
    const pool = await poolOf(1);
    const bad = pool.run('m', of(poison), {});
    const good = pool.run('m', of(1, 2), {});
    await expect(bad).rejects.toMatchObject({ code: 'SCORING_FAILED' });
    expect((await good).map(([row]) => row![0])).toEqual([1, 2]);
    expect((await pool.run('m', of(4), {}))[0]![0]![0]).toBe(4);
  },
);

// One that dies again and again, and as many as die at once.
test.each([1, 4])('many fatal sequences at once on %i threads harm nobody else', async (threads) => {
  const pool = await poolOf(threads);
  const bad = Array.from({ length: 4 }, (_, i) =>
    pool.run('m', [{ ids: [666, i], second: 1 }], {}).catch((error: unknown) => error),
  );
  const good = pool.run('m', of(1, 2), {});
  expect((await good).map(([row]) => row![0])).toEqual([1, 2]);
  for (const error of await Promise.all(bad)) expect(error).toMatchObject({ code: 'SCORING_FAILED' });
  expect((await pool.run('m', of(4), {}))[0]![0]![0]).toBe(4);
  await pool.close();
  expect(alive()).toBe(0);
});

test.each([2, 3])('close leaves no thread alive when %i die under it', async (deaths) => {
  const pool = await poolOf(3);
  const bad = Array.from({ length: deaths }, (_, i) =>
    pool.run('m', [{ ids: [667, i], second: 1 }], {}).catch((error: unknown) => error),
  );
  const good = pool.run('m', of(1, 2, 3), {});
  await pool.close();
  expect(alive()).toBe(0);
  expect(await good).toHaveLength(3);
  for (const error of await Promise.all(bad)) expect(error).toMatchObject({ code: 'SCORING_FAILED' });
});

test('close awaits threads that are still starting', async () => {
  const pool = await poolOf(1);
  const grown = Promise.all([pool.grow(), pool.grow()]);
  await pool.close();
  expect(alive()).toBe(0);
  await grown;
});

test('a thread that ended while idle is replaced when there is work', async () => {
  const pool = await poolOf(1);
  await pool.run('m', of(14), {});
  while (alive() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await pool.run('m', of(5), {}))[0]![0]![0]).toBe(5);
});

test('without a thread that starts, callers are told what to do; the next call tries anew', async () => {
  const pool = await poolOf(2);
  refuseStart(true);
  const refused = {
    code: 'SCORING_FAILED',
    message: expect.stringMatching(/no room/),
    hint: expect.any(String),
  };
  await expect(pool.run('m', of(666, 667), {})).rejects.toMatchObject(refused);
  await expect(pool.run('m', of(1), {})).rejects.toMatchObject(refused);
  refuseStart(false);
  expect((await pool.run('m', of(1), {}))[0]![0]![0]).toBe(1);
});

test('close finishes what was taken and takes nothing new', async () => {
  const pool = await poolOf(2);
  const taken = pool.run('m', of(1, 2, 3), {});
  const closed = pool.close();
  await expect(pool.run('m', of(4), {})).rejects.toMatchObject({
    code: 'SCORING_FAILED',
    hint: expect.stringMatching(/open new ones/),
  });
  expect(await taken).toHaveLength(3);
  await closed;
});

test('a thread that cannot start says so', async () => {
  const pool = new Pool(setup, models, new URL('data:text/javascript,throw new Error("no luck")'));
  await expect(pool.grow()).rejects.toThrow(/no luck/);
  await pool.close();
});

/** Refused by Node before there is any thread, as it does at a limit on threads. */
const NO_THREAD = 'https://pragaura.example/thread.js';

test('a thread that the system does not give is a failed start', async () => {
  const pool = new Pool(setup, models, new URL(NO_THREAD));
  await expect(pool.grow()).rejects.toBeInstanceOf(StartFailure);
  await pool.close();
});

test('a dead thread that cannot be replaced fails the calls, not the process', async () => {
  new Int32Array(log).fill(0);
  const url = new URL(FAKE);
  const pool = new Pool(setup, models, url);
  pools.push(pool);
  await pool.grow();
  url.href = NO_THREAD;
  const refused = { code: 'SCORING_FAILED', message: expect.stringContaining('no inference thread') };
  await expect(pool.run('m', of(666), {})).rejects.toMatchObject(refused);
  await expect(pool.run('m', of(1), {})).rejects.toMatchObject(refused);
  url.href = FAKE.href;
  expect((await pool.run('m', of(1), {}))[0]![0]![0]).toBe(1);
});

test('threads come up while the models are still checked, and end when there are none', async () => {
  new Int32Array(log).fill(0);
  let refuse: (reason: Error) => void = () => {};
  const pool = new Pool(setup, new Promise((_, reject) => (refuse = reject)), FAKE);
  const grown = Promise.allSettled([pool.grow(), pool.grow()]);
  while (alive() < 2) await new Promise((resolve) => setImmediate(resolve));
  refuse(new Error('another file'));
  for (const { status, reason } of (await grown) as PromiseRejectedResult[]) {
    expect([status, reason.message]).toEqual(['rejected', 'another file']);
  }
  await pool.close();
  expect(alive()).toBe(0);
});
