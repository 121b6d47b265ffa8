import { describe, expect, it } from 'vitest';
import { bestWeight } from './run.ts';

describe('a weight of words', () => {
  const row = (...best: number[]) => ({
    reciprocal: Array.from({ length: 11 }, (_, i) => (best.includes(i) ? 1 : 0.5)),
  });
  it('is the one with the best mean, of equals the one nearest to the shipped', () => {
    expect(bestWeight([row(8), row(8), row(2)])).toBe(8);
    expect(bestWeight([row(1, 7)])).toBe(7);
    expect(bestWeight([row()])).toBe(5);
  });
});
