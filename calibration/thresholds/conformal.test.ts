import { describe, expect, it } from 'vitest';
import { parseLevel } from '../levels/level.ts';
import { chanceOfFewer, conformalThreshold, countUpTo, leastExamples, rank } from './conformal.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, i) => (i + 1) / 1_000);

describe('rank', () => {
  it('is exact where floats are wrong by one', () => {
    expect(rank(99, parseLevel('0.57'))).toBe(57);
    expect(Math.ceil(100 * 0.57)).toBe(57);
    // 1 - 0.43 is 0.5700000000000001: the textbook form overshoots.
    expect(Math.ceil(100 * (1 - 0.43))).toBe(58);
    expect(rank(9, parseLevel('0.8'))).toBe(8);
    expect(rank(999_999, parseLevel('0.123456'))).toBe(123_456);
  });

  it('is the least k with k / (n + 1) >= level', () => {
    for (let hundredths = 1; hundredths < 100; hundredths++) {
      const level = parseLevel(`0.${String(hundredths).padStart(2, '0')}`);
      for (let n = 0; n < 120; n++) {
        const k = rank(n, level);
        expect(100 * k).toBeGreaterThanOrEqual(hundredths * (n + 1));
        expect(100 * (k - 1)).toBeLessThan(hundredths * (n + 1));
      }
    }
  });
});

describe('conformalThreshold', () => {
  it('takes the k-th smallest, whatever the order', () => {
    const scores = upTo(99).reverse();
    expect(conformalThreshold(scores, parseLevel('0.9'))).toEqual({
      n: 99,
      k: 90,
      tau: 0.09,
      why: 'reached',
      needed: 0,
      ties: 0,
      open: 99,
      documents: null,
    });
    expect(scores[0]).toBe(0.099);
  });

  it('says how many more are needed, and with so many it has a threshold', () => {
    for (const text of ['0.5', '0.8', '0.9', '0.95', '0.99', '0.123', '0.999']) {
      const level = parseLevel(text);
      for (const n of [0, 1, 3, 8]) {
        const { tau, why, needed, k } = conformalThreshold(upTo(n), level);
        expect(tau === null).toBe(k > n);
        if (tau !== null) continue;
        expect(why).toBe('too-few');
        expect(conformalThreshold(upTo(n + needed!), level).tau).not.toBeNull();
        expect(conformalThreshold(upTo(n + needed! - 1), level).tau).toBeNull();
      }
    }
    expect(leastExamples(parseLevel('0.95'))).toBe(19);
  });

  it('n = 0 reaches nothing; n = 1 reaches a half and no more', () => {
    expect(conformalThreshold([], parseLevel('0.5'))).toMatchObject({ n: 0, k: 1, tau: null, needed: 1 });
    expect(conformalThreshold([0.3], parseLevel('0.5')).tau).toBe(0.3);
    expect(conformalThreshold([0.3], parseLevel('0.51')).tau).toBeNull();
  });

  it('counts ties, and a threshold of 0 is a threshold', () => {
    expect(conformalThreshold([0, 0, 0, 0, 1], parseLevel('0.5'))).toMatchObject({ k: 3, tau: 0, ties: 3 });
    expect(conformalThreshold(new Array<number>(20).fill(0.4), parseLevel('0.9'))).toMatchObject({
      tau: 0.4,
      ties: 19,
    });
  });

  it('closed gates may make a level unreachable, and then no number of examples helps', () => {
    const closed = [...upTo(80), ...new Array<number>(20).fill(Infinity)];
    expect(conformalThreshold(closed, parseLevel('0.9'))).toMatchObject({
      tau: null,
      why: 'gates',
      needed: null,
      open: 80,
    });
    expect(conformalThreshold(closed, parseLevel('0.7'))).toMatchObject({ tau: 0.071, why: 'reached' });
  });

  it.each([Number.NaN, -Infinity])('refuses %d', (bad) => {
    expect(() => conformalThreshold([0.1, bad], parseLevel('0.5'))).toThrow(/no uncertainty/);
  });
});

describe('countUpTo', () => {
  it('counts values at most the bound, ties included', () => {
    const sorted = [0, 0.1, 0.1, 0.2, Infinity];
    expect([-1, 0, 0.1, 0.15, 0.2, 1, Infinity].map((bound) => countUpTo(sorted, bound))).toEqual([
      0, 1, 3, 3, 4, 4, 5,
    ]);
  });
});

describe('chanceOfFewer', () => {
  it('is Beta-binomial: uniform for one example, and by hand for two', () => {
    for (const answered of [0, 3, 9]) {
      expect(chanceOfFewer({ n: 1, k: 1 }, answered, 10)).toBeCloseTo((answered + 1) / 11, 12);
    }
    // Beta(2, 1): mean 2/3, and E[(1 - p)^2] = 1/6.
    expect(chanceOfFewer({ n: 2, k: 2 }, 0, 1)).toBeCloseTo(1 / 3, 12);
    expect(chanceOfFewer({ n: 2, k: 2 }, 0, 2)).toBeCloseTo(1 / 6, 12);
    expect(chanceOfFewer({ n: 2, k: 2 }, 2, 2)).toBe(1);
  });

  it('sums to the mean k / (n + 1) of what is answered', () => {
    const [rank, of] = [{ n: 100, k: 91 }, 400];
    const fewer = Array.from({ length: of }, (_, answered) => chanceOfFewer(rank, answered, of));
    const mean = of - fewer.reduce((sum, chance) => sum + chance, 0);
    expect(mean / of).toBeCloseTo(91 / 101, 10);
  });
});
