import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/testing/cli.ts';
import { type RedisServer, startRedis } from '../../workers/testing/redis.ts';
import { drainOurs } from './drain-ours.ts';
import { askAll } from './overhead.ts';
import { drainPlain } from './plain-bullmq.ts';
import { isFlat, type SoakSample, soak } from './soak.ts';

describe('on a real Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ aof: true });
  });
  afterAll(() => redis.close());

  it('drains empty jobs of plain BullMQ, leaving nothing behind', async () => {
    const once = await drainPlain(redis.port, 200, 8);
    const again = await drainPlain(redis.port, 200, 8);
    for (const { jobs, added, drained } of [once, again]) {
      expect(jobs).toBe(200);
      expect(Math.min(added, drained)).toBeGreaterThan(0);
    }
  });

  it('drains empty jobs of ours and holds each against the oracle', async () => {
    const { drained, exact, loop } = await drainOurs(redis.url, 300, 8);
    expect(drained).toBeGreaterThan(0);
    expect(exact).toBe(true);
    expect(loop.max).toBeGreaterThanOrEqual(loop.p50);
  });

  it('soaks: every id once, memory looked at twenty times', async () => {
    const { samples, exact } = await soak(redis.url, 400, () => {});
    expect(exact).toBe(true);
    expect(samples.at(-1)!.jobs).toBe(400);
    for (const { heap, redis: used } of samples) expect(Math.min(heap, used)).toBeGreaterThan(1);
  });
});

describe('isFlat', () => {
  const growing = (perStep: { heap?: number; redis?: number }): SoakSample[] =>
    Array.from({ length: 20 }, (_, step) => ({
      jobs: 1_000 * step,
      heap: 20 + step * (perStep.heap ?? 0),
      redis: 30 + step * (perStep.redis ?? 0),
      resident: 100,
      client: 200,
    }));
  it.each([
    ['nothing grows', growing({}), true],
    ['the heap grows', growing({ heap: 1 }), false],
    ['Redis grows', growing({ redis: 1 }), false],
    ['too little was seen', growing({}).slice(0, 5), false],
  ])('%s', (_, samples, flat) => {
    expect(isFlat(samples)).toBe(flat);
  });

  it('does not mind what grows until as much is kept as may be', () => {
    const samples = growing({}).map((sample) => (sample.jobs < 3_000 ? { ...sample, redis: 5 } : sample));
    expect(isFlat(samples)).toBe(true);
  });
});

describe('askAll', () => {
  const queries = ['a', 'b', 'c'].map((id) => ({ id, query: 'Who?' }));

  it('takes the time in the router away from the response', async () => {
    const ask = async ({ id }: { id: string }) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return JSON.stringify({ id, timings: { total: 50 } });
    };
    const { response, around, lines } = await askAll({ ask }, queries, [0, 5, 10]);
    expect(lines).toHaveLength(3);
    expect(response.p50! - around.p50!).toBeCloseTo(50, 0);
    expect(response.n).toBe(3);
  });

  it('does not measure what was not decided', async () => {
    const ask = async ({ id }: { id: string }) => JSON.stringify({ id, error: { code: 'INTERNAL' } });
    await expect(askAll({ ask }, queries, [0, 0, 0])).rejects.toThrow('was not decided');
  });
});

it.each([
  [['bench', 'latency', '--rates', '2,1'], 'ascending'],
  [['bench', 'latency', '--window', '0'], 'whole number'],
  [['bench', 'queue', '--only', 'everything'], 'everything'],
])('%j is refused with what is wrong', async (args, part) => {
  const { code, stdout, stderr } = await runCli(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(part);
});
