import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceOf, freshEProcess, type Hypothesis, observe, testable } from './e-process.ts';

const up = (bound: number): Hypothesis => ({ direction: 'up', bound });
const down = (bound: number): Hypothesis => ({ direction: 'down', bound });

function evidenceAfter(hypothesis: Hypothesis, values: readonly number[]): number[] {
  const state = freshEProcess();
  return values.map((x) => {
    observe(state, hypothesis, x);
    return evidenceOf(state);
  });
}

/** Every sequence of n coins that fall on 1 with probability p, each with its probability. */
function coins(n: number, p: number): { values: number[]; probability: number }[] {
  return Array.from({ length: 2 ** n }, (_, bits) => {
    const values = Array.from({ length: n }, (_, i) => (bits >> i) & 1);
    const ones = values.reduce((a, b) => a + b, 0);
    return { values, probability: p ** ones * (1 - p) ** (n - ones) };
  });
}

describe('the evidence', () => {
  it.each([
    [up(0.3), 0.3, 1],
    [down(0.8), 0.8, 1],
  ])('against %j is worth one on average where the mean is at the bound', (hypothesis, p, worth) => {
    const expected = coins(12, p).reduce(
      (sum, { values, probability }) => sum + probability * evidenceAfter(hypothesis, values).at(-1)!,
      0,
    );
    expect(expected).toBeCloseTo(worth, 10);
  });

  it('is worth less on average inside the bound, more outside', () => {
    const average = (p: number) =>
      coins(12, p).reduce(
        (sum, { values, probability }) => sum + probability * evidenceAfter(up(0.3), values).at(-1)!,
        0,
      );
    expect(average(0.2)).toBeLessThan(1);
    expect(average(0.4)).toBeGreaterThan(1);
  });

  it('ever reaches 1 / a with probability at most a: counted over all sequences', () => {
    for (const a of [0.5, 0.2, 0.1]) {
      const crossed = coins(15, 0.3)
        .filter(({ values }) => Math.max(...evidenceAfter(up(0.3), values)) >= 1 / a)
        .reduce((sum, { probability }) => sum + probability, 0);
      expect(crossed).toBeLessThanOrEqual(a);
      expect(crossed).toBeGreaterThan(0);
    }
  });

  it('has the closed form after one and two observations', () => {
    const g = [0.005, 0.015, 0.04, 0.1, 0.25, 0.6];
    const aside = (n: number) => 0.5 / (1 + Math.log(1 + n / 100));
    const [one, two] = evidenceAfter(up(0.25), [1, 0]);
    const first = g.map((share) => ((1 - aside(1)) / 6) * (1 - share + share / 0.25));
    expect(one).toBeCloseTo(first.reduce((a, b) => a + b) + aside(1), 12);
    const later = g.map((share, i) => (first[i]! + (aside(1) - aside(2)) / 6) * (1 - share));
    expect(two).toBeCloseTo(later.reduce((a, b) => a + b) + aside(2), 12);
  });

  it('looks down as it looks up at the mirrored stream', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 50 }), (values) => {
        const mirrored = evidenceAfter(
          up(0.25),
          values.map((x) => 1 - x),
        );
        expect(evidenceAfter(down(0.75), values)).toEqual(mirrored);
      }),
    );
  });

  it('finds a late change', () => {
    const values = [...Array(5_000).fill(0), ...Array(40).fill(1)];
    const evidence = evidenceAfter(up(0.1), values);
    expect(Math.max(...evidence.slice(0, 5_000))).toBeLessThanOrEqual(1);
    expect(evidence.at(-1)).toBeGreaterThan(1e6);
  });

  it('stays a number however long it wins', () => {
    const evidence = evidenceAfter(up(0.01), Array(5_000).fill(1));
    expect(Number.isFinite(evidence.at(-1))).toBe(true);
    expect(evidence.at(-1)).toBeGreaterThan(1e100);
  });
});

describe('what cannot be bet on', () => {
  it('is refused', () => {
    for (const x of [Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY]) {
      expect(() => observe(freshEProcess(), up(0.5), x)).toThrow(RangeError);
    }
    expect(() => observe(freshEProcess(), up(0), 1)).toThrow(RangeError);
    expect(() => observe(freshEProcess(), down(1), 1)).toThrow(RangeError);
  });

  it('is a bound with nothing beyond', () => {
    expect([up(1), up(0.9), down(0), down(0.1)].map(testable)).toEqual([false, true, false, true]);
  });
});

it('remembers the latest observations for people to see', () => {
  const state = freshEProcess();
  for (const x of [...Array(1_000).fill(0), ...Array(1_000).fill(1)]) observe(state, up(0.5), x);
  expect(state.sum / state.n).toBe(0.5);
  expect(state.recent).toBeGreaterThan(0.99);
});
