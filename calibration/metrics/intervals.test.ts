import { describe, expect, it } from 'vitest';
import { bootstrapInterval, grouped, pairedDifference, quantile, summarise } from './intervals.ts';

const coin = (n: number, share: number, groups: number) =>
  Array.from({ length: n }, (_, i) => ({ group: `g${i % groups}`, value: i / n < share ? 1 : 0 }));

describe('summarise', () => {
  it('has the interval of the binomial when every item is its own group', () => {
    const { mean, interval, n, groups } = summarise(coin(1_000, 0.3, 1_000), { resamples: 2_000 });
    expect([mean, n, groups]).toEqual([0.3, 1_000, 1_000]);
    const half = 1.96 * Math.sqrt((0.3 * 0.7) / 1_000);
    expect(interval!.low).toBeCloseTo(0.3 - half, 2);
    expect(interval!.high).toBeCloseTo(0.3 + half, 2);
  });

  it('is wider when items hang together in groups', () => {
    const alone = summarise(coin(1_000, 0.5, 1_000)).interval!;
    const together = summarise(
      Array.from({ length: 1_000 }, (_, i) => ({ group: `g${i % 20}`, value: i % 20 < 10 ? 1 : 0 })),
    ).interval!;
    expect(together.high - together.low).toBeGreaterThan(3 * (alone.high - alone.low));
  });

  it('keeps what could not be scored in the denominators', () => {
    const items = [1, 0, null, null].map((value, i) => ({ group: `g${i}`, value }));
    expect(summarise(items)).toMatchObject({ n: 4, unscored: 2, mean: 0.5, low: 0.25, high: 0.75 });
    expect(summarise([{ group: 'a', value: null }])).toMatchObject({
      mean: null,
      interval: null,
      low: 0,
      high: 1,
    });
  });

  it('claims no interval from a single group', () => {
    expect(summarise(coin(100, 0.5, 1)).interval).toBeNull();
  });

  it('refuses nothing at all', () => {
    expect(() => summarise([])).toThrow(RangeError);
  });
});

describe('bootstrapInterval', () => {
  it('gives up when a resample has no value, rather than leaving it out', () => {
    expect(bootstrapInterval([[1], [2]], (items) => (items.includes(2) ? 1 : null))).toBeNull();
  });

  it('draws whole groups', () => {
    const groups = grouped([1, 1, 1, 2, 2, 2], (item) => `${item}`);
    bootstrapInterval(groups, (items) => {
      expect([0, 3, 6]).toContain(items.filter((item) => item === 1).length);
      return 0;
    });
  });
});

describe('pairedDifference', () => {
  it('is exactly nothing for equal policies', () => {
    const pairs = coin(100, 0.4, 10).map(({ group, value }) => ({ group, a: value, b: value }));
    expect(pairedDifference(pairs)).toMatchObject({
      mean: 0,
      interval: { low: 0, high: 0 },
      aHigher: 0,
      bHigher: 0,
    });
  });

  it('counts both directions and leaves unscored pairs out of the mean only', () => {
    const pairs = [
      { group: 'x', a: 1, b: 0 },
      { group: 'y', a: 1, b: 0 },
      { group: 'z', a: 0, b: 1 },
      { group: 'z', a: null, b: 1 },
    ];
    expect(pairedDifference(pairs)).toMatchObject({ n: 4, unscored: 1, aHigher: 2, bHigher: 1, mean: 1 / 3 });
  });
});

describe('quantile', () => {
  it('goes through the order statistics', () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantile([1, 2, 3, 4, 5], share))).toEqual([1, 2, 3, 5]);
    expect(quantile([0, 10], 0.35)).toBe(3.5);
  });
});
