import { describe, expect, it } from 'vitest';
import { allAt, anyAt, ndcgAt, reciprocalRankAt } from './retrieval.ts';

const ranking = ['d', 'a', 'c', 'b', '__proto__'];
const two = new Map([
  ['a', 1],
  ['b', 1],
]);

describe('binary metrics', () => {
  it('tells any from all', () => {
    expect([1, 2, 3, 4].map((k) => anyAt(ranking, two, k))).toEqual([0, 1, 1, 1]);
    expect([1, 2, 3, 4].map((k) => allAt(ranking, two, k))).toEqual([0, 0, 0, 1]);
  });

  it('takes the reciprocal of the first relevant rank and nothing beyond k', () => {
    expect(reciprocalRankAt(ranking, two, 10)).toBe(1 / 2);
    expect(reciprocalRankAt(ranking, new Map([['b', 1]]), 4)).toBe(1 / 4);
    expect(reciprocalRankAt(ranking, new Map([['b', 1]]), 3)).toBe(0);
  });

  it('keeps ids that are names of object properties apart', () => {
    expect(anyAt(ranking, new Map([['constructor', 1]]), 10)).toBe(0);
    expect(anyAt(ranking, new Map([['__proto__', 1]]), 10)).toBe(1);
  });

  it('cannot score a query without relevant documents', () => {
    for (const metric of [anyAt, allAt, reciprocalRankAt, ndcgAt])
      expect(metric(ranking, new Map(), 10)).toBeNull();
  });

  it('refuses a cut-off that is none', () => {
    expect(() => anyAt(ranking, two, 0)).toThrow(RangeError);
    expect(() => ndcgAt(ranking, two, 1.5)).toThrow(RangeError);
  });
});

describe('ndcgAt', () => {
  const graded = new Map([
    ['a', 4],
    ['b', 1],
  ]);

  it('is 1 for the best order and nothing for a miss', () => {
    expect(ndcgAt(['a', 'b'], graded, 10)).toBe(1);
    expect(ndcgAt(['x', 'y'], graded, 10)).toBe(0);
  });

  it('follows the formula', () => {
    const ideal = 4 / Math.log2(2) + 1 / Math.log2(3);
    expect(ndcgAt(['b', 'x', 'a'], graded, 10)).toBeCloseTo(
      (1 / Math.log2(2) + 4 / Math.log2(4)) / ideal,
      12,
    );
  });

  it('cuts the ideal ranking at k as well', () => {
    expect(ndcgAt(['a', 'x'], graded, 1)).toBe(1);
  });
});
