import { describe, expect, it } from 'vitest';
import { clopperPearson } from './proportions.ts';

describe('clopperPearson', () => {
  it('has closed forms at none and all: 1 - (a/2)^(1/n) and (a/2)^(1/n)', () => {
    for (const n of [1, 7, 100, 5_000]) {
      const edge = 0.025 ** (1 / n);
      expect(clopperPearson(0, n)!.low).toBe(0);
      expect(clopperPearson(0, n)!.high).toBeCloseTo(1 - edge, 12);
      expect(clopperPearson(n, n)!.low).toBeCloseTo(edge, 12);
      expect(clopperPearson(n, n)!.high).toBe(1);
    }
  });

  it('solves the quadratic of one of two: P(X <= 1) = 1 - p^2 and P(X >= 1) = 1 - (1-p)^2', () => {
    const { low, high } = clopperPearson(1, 2)!;
    expect(high).toBeCloseTo(Math.sqrt(0.975), 12);
    expect(low).toBeCloseTo(1 - Math.sqrt(0.975), 12);
  });

  it('agrees with the printed tables: 5 of 10 at 95 % is 0.1871 to 0.8129, 10 of 100 at 90 % is 0.0553 to 0.1637', () => {
    const five = clopperPearson(5, 10)!;
    expect([five.low, five.high].map((x) => x.toFixed(4))).toEqual(['0.1871', '0.8129']);
    const ten = clopperPearson(10, 100, 0.9)!;
    expect([ten.low, ten.high].map((x) => x.toFixed(4))).toEqual(['0.0553', '0.1637']);
  });

  it('is symmetric', () => {
    const [a, b] = [clopperPearson(3, 40)!, clopperPearson(37, 40)!];
    expect(a.low).toBeCloseTo(1 - b.high, 12);
    expect(a.high).toBeCloseTo(1 - b.low, 12);
  });

  it('holds out with many draws, and covers: at most 5 % of the outcomes of p = .3 lie outside', () => {
    expect(clopperPearson(50_000, 100_000)!.high).toBeCloseTo(0.5 + (1.96 * 0.5) / Math.sqrt(100_000), 4);
    const n = 60;
    let inside = 0;
    let mass = 0.7 ** n;
    for (let k = 0; k <= n; k++) {
      const { low, high } = clopperPearson(k, n)!;
      if (low <= 0.3 && 0.3 <= high) inside += mass;
      mass *= ((n - k) / (k + 1)) * (0.3 / 0.7);
    }
    expect(inside).toBeGreaterThanOrEqual(0.95);
    expect(inside).toBeLessThan(0.99);
  });

  it('says nothing without draws and refuses what is no count', () => {
    expect(clopperPearson(0, 0)).toBeNull();
    for (const [k, n] of [
      [-1, 5],
      [6, 5],
      [0.5, 5],
      [Number.NaN, 5],
    ] as const)
      expect(() => clopperPearson(k, n)).toThrow(RangeError);
    expect(() => clopperPearson(1, 5, 1)).toThrow(RangeError);
  });
});
