import { describe, expect, it } from 'vitest';
import { betaCdf, levelFor, lowerBound } from './beta.ts';
import { logGamma } from './log-gamma.ts';

const choose = (n: number, k: number) => {
  let value = 1;
  for (let i = 1; i <= k; i++) value = (value * (n - k + i)) / i;
  return value;
};
const binomial = (n: number, k: number, p: number) => choose(n, k) * p ** k * (1 - p) ** (n - k);

describe('logGamma', () => {
  it('is the logarithm of factorials, and of the square root of pi at one half', () => {
    let factorial = 1;
    for (let n = 1; n <= 20; n++) {
      expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 11);
      factorial *= n;
    }
    expect(logGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 12);
  });

  it('satisfies the reflection formula at fractions', () => {
    for (const x of [0.01, 0.13, 0.37, 0.49, 0.8]) {
      expect(logGamma(x) + logGamma(1 - x)).toBeCloseTo(Math.log(Math.PI / Math.sin(Math.PI * x)), 11);
    }
  });
});

describe('betaCdf', () => {
  it('has the closed forms of Beta(a, 1), Beta(1, b) and the arcsine distribution', () => {
    for (const x of [0, 0.001, 0.2, 0.5, 0.85, 0.999, 1]) {
      for (const a of [0.3, 1, 2.5, 40]) {
        expect(betaCdf(x, a, 1)).toBeCloseTo(x ** a, 12);
        expect(betaCdf(x, 1, a)).toBeCloseTo(1 - (1 - x) ** a, 12);
      }
      expect(betaCdf(x, 0.5, 0.5)).toBeCloseTo((2 / Math.PI) * Math.asin(Math.sqrt(x)), 12);
    }
  });

  it('is a binomial tail at whole arguments', () => {
    for (const [a, b] of [
      [3, 5],
      [12, 2],
      [1, 30],
    ] as const) {
      for (const x of [0.05, 0.4, 0.9]) {
        let tail = 0;
        for (let k = a; k < a + b; k++) tail += binomial(a + b - 1, k, x);
        expect(betaCdf(x, a, b)).toBeCloseTo(tail, 12);
      }
    }
  });
});

describe('lowerBound', () => {
  it('is where the distribution function is 1 - level', () => {
    for (const [hits, misses] of [
      [1, 0],
      [5.5, 0],
      [12, 1.25],
      [300, 7],
    ] as const) {
      expect(betaCdf(lowerBound(hits, misses, 0.9), hits + 0.5, misses + 0.5)).toBeCloseTo(0.1, 9);
    }
    expect(lowerBound(0, 3, 0.9)).toBe(0);
  });

  it('rises with votes for and falls with votes against', () => {
    expect(lowerBound(6, 0, 0.9)).toBeGreaterThan(lowerBound(5, 0, 0.9));
    expect(lowerBound(6, 1, 0.9)).toBeLessThan(lowerBound(6, 0.5, 0.9));
  });

  it('covers a true share near one closer to its level than the bound of Wilson does', () => {
    const z = 1.2815515655446004; // 90 % of a normal variable lies below it.
    const wilson = (k: number, n: number) => {
      const p = k / n;
      return (
        (p + z ** 2 / (2 * n) - z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n)
      );
    };
    /** How often the bound is not above the true share, on average over shares from .8 to .99 and 5 to 40 votes. */
    const covered = (bound: (k: number, n: number) => number) => {
      let [sum, cases] = [0, 0];
      for (let n = 5; n <= 40; n += 5) {
        for (let p = 0.8; p < 0.995; p += 0.01) {
          for (let k = 0; k <= n; k++) if (bound(k, n) <= p) sum += binomial(n, k, p);
          cases++;
        }
      }
      return sum / cases;
    };
    const jeffreys = covered((k, n) => lowerBound(k, n - k, 0.9));
    expect(jeffreys).toBeGreaterThan(0.9);
    expect(covered(wilson)).toBeGreaterThan(jeffreys + 0.01);
  });
});

describe('levelFor', () => {
  it.each([1, 2, 5, 20, 100])('opens the gate at %i votes and not at one fewer', (votes) => {
    for (const bar of votes > 20 ? [0.85] : [0.6, 0.85, 0.95]) {
      const level = levelFor(votes, bar);
      expect(lowerBound(votes, 0, level)).toBeGreaterThan(bar);
      expect(lowerBound(votes - 1, 0, level)).toBeLessThan(bar);
      // Half a vote may age away.
      expect(lowerBound(votes - 0.4, 0, level)).toBeGreaterThan(bar);
    }
  });

  it('is near .8 for the five users of the default', () => {
    expect(levelFor(5, 0.85)).toBeCloseTo(0.786, 3);
  });
});
