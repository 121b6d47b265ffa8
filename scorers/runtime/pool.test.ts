import { afterEach, expect, test } from 'vitest';
import { Pool } from './pool.ts';
import type { ThreadSetup } from './protocol.ts';

const FAKE = new URL('./testing/fake-thread.mjs', import.meta.url);
const log = new SharedArrayBuffer(8);
const sent = (): number => new Int32Array(log)[0]!;
const setup = {
  provider: 'cpu',
  log,
  models: [
    {
      name: 'm',
      weights: new Uint8Array(new SharedArrayBuffer(1)),
      outputs: [
        { name: 'row', kind: 'row' },
        { name: 'tokens', kind: 'tokens' },
      ],
      declared: [],
      batching: 'single',
    },
  ],
} as ThreadSetup;
const of = (...firsts: number[]) =>
  firsts.map((first, i) => ({ ids: [first, ...new Array(i).fill(1)], second: 1 }));

let pools: Pool[] = [];
async function poolOf(threads: number): Promise<Pool> {
  new Int32Array(log).fill(0);
  const pool = new Pool(setup, FAKE);
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

test('threads that only die are given up, and callers told', async () => {
  const pool = await poolOf(1);
  for (let i = 0; i < 4; i += 1) {
    await expect(pool.run('m', of(666), {})).rejects.toMatchObject({ code: 'SCORING_FAILED' });
  }
  await expect(pool.run('m', of(1), {})).rejects.toMatchObject({ code: 'SCORING_FAILED' });
});

test('close finishes what was taken and takes nothing new', async () => {
  const pool = await poolOf(2);
  const taken = pool.run('m', of(1, 2, 3), {});
  const closed = pool.close();
  await expect(pool.run('m', of(4), {})).rejects.toMatchObject({ code: 'SCORING_FAILED' });
  expect(await taken).toHaveLength(3);
  await closed;
});

test('a thread that cannot start says so', async () => {
  const pool = new Pool(setup, new URL('data:text/javascript,throw new Error("no luck")'));
  await expect(pool.grow()).rejects.toThrow(/no luck/);
  await pool.close();
});
