import { describe, expect, it } from 'vitest';
import { type Fraction, parseLevel } from '../levels/level.ts';
import { binomialCdf, exactTail, floorWithoutErrors, tailWithin } from './binomial.ts';

/** The fraction to 17 digits, without ever being a ratio of two floats. */
function digits({ numerator, denominator }: Fraction): number {
  const shift = denominator.toString().length - numerator.toString().length + 20;
  return Number(`${(numerator * 10n ** BigInt(shift)) / denominator}e-${shift}`);
}

describe('exactTail', () => {
  it('is the sum of the terms', () => {
    // Two coins: P(no head) = 1/4, P(at most one) = 3/4.
    expect(digits(exactTail(0, 2, parseLevel('0.5')))).toBe(0.25);
    expect(digits(exactTail(1, 2, parseLevel('0.5')))).toBe(0.75);
    expect(digits(exactTail(2, 2, parseLevel('0.3')))).toBe(1);
    expect(digits(exactTail(1, 3, parseLevel('0.1')))).toBeCloseTo(0.972, 15);
  });
});

describe('binomialCdf', () => {
  it.each([
    [0, 45, '0.05'],
    [3, 7, '0.5'],
    [6, 7, '0.5'],
    [17, 400, '0.05'],
    [20, 400, '0.05'],
    [35, 400, '0.05'],
    [90, 1_000, '0.1'],
    [999, 1_000, '0.99'],
    [1_000, 10_000, '0.11'],
    [4_700, 100_000, '0.05'],
    [503, 50_000, '0.01'],
    [12, 100_000, '0.001'],
  ])('P(Binomial <= %i) of %i at %s agrees with whole numbers to 1e-11', (x, n, level) => {
    const exact = digits(exactTail(x, n, parseLevel(level)));
    expect(Math.abs(binomialCdf(x, n, Number(level)) / exact - 1)).toBeLessThan(1e-11);
  });

  it('agrees everywhere for small n', () => {
    for (const level of ['0.01', '0.05', '0.37', '0.5', '0.9']) {
      for (let n = 0; n <= 40; n++) {
        for (let x = 0; x <= n; x++) {
          const exact = digits(exactTail(x, n, parseLevel(level)));
          expect(Math.abs(binomialCdf(x, n, Number(level)) - exact)).toBeLessThan(1e-13);
        }
      }
    }
  });

  it('is 0 below and 1 from n on, also for n = 0', () => {
    expect(binomialCdf(-1, 10, 0.3)).toBe(0);
    expect(binomialCdf(10, 10, 0.3)).toBe(1);
    expect(binomialCdf(0, 0, 0.3)).toBe(1);
  });
});

describe('tailWithin', () => {
  it('decides a tie exactly: (1/2)^2 is within 1/4, (9/10)^2 is within 0.81 and not within 0.809999999999', () => {
    expect(tailWithin(0, 2, parseLevel('0.5'), parseLevel('0.25'))).toBe(true);
    expect(tailWithin(0, 2, parseLevel('0.1'), parseLevel('0.81'))).toBe(true);
    expect(tailWithin(0, 2, parseLevel('0.1'), parseLevel('0.809999999999'))).toBe(false);
  });
});

describe('floorWithoutErrors', () => {
  it.each([
    ['0.05', '0.1', 45],
    ['0.1', '0.1', 22],
    ['0.01', '0.1', 230],
    ['0.5', '0.25', 2],
    ['0.9', '0.5', 1],
  ])('risk %s, delta %s: %i answers', (level, delta, floor) => {
    expect(floorWithoutErrors(parseLevel(level), parseLevel(delta))).toBe(floor);
  });

  it('is the least such number', () => {
    for (const text of ['0.01', '0.037', '0.05', '0.2', '0.5', '0.75']) {
      const level = parseLevel(text);
      for (const delta of ['0.001', '0.05', '0.1', '0.25', '0.5']) {
        const floor = floorWithoutErrors(level, parseLevel(delta));
        expect(tailWithin(0, floor, level, parseLevel(delta))).toBe(true);
        expect(floor === 1 || !tailWithin(0, floor - 1, level, parseLevel(delta))).toBe(true);
      }
    }
  });
});
