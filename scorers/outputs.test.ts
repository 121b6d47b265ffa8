import { describe, expect, test } from 'vitest';
import { entailmentOf, probabilitiesOf, relevanceOf, unitVector, winner } from './outputs.ts';

const plan = { windows: [], tokens: 9, truncatedTokens: 2 };

describe('embed', () => {
  test('a vector keeps its direction and gets length one', () => {
    expect([...unitVector(Float32Array.of(3, 0, -4))]).toEqual([...Float32Array.of(0.6, 0, -0.8)]);
  });

  test('the zero vector stays, rather than becoming NaN', () => {
    expect([...unitVector(new Float32Array(2))]).toEqual([0, 0]);
  });
});

describe('rerank', () => {
  test('a passage is as relevant as its most relevant window', () => {
    expect(relevanceOf(plan, [-3, 0, -1])).toEqual({ score: 0.5, logit: 0, tokens: 9, truncatedTokens: 2 });
  });

  test('far logits stay in [0, 1]', () => {
    expect(relevanceOf(plan, [900]).score).toBe(1);
    expect(relevanceOf(plan, [-900]).score).toBe(0);
  });
});

describe('nli', () => {
  const p = (entailment: number, neutral: number, contradiction: number) => ({
    entailment,
    neutral,
    contradiction,
  });
  const verdict = (...windows: ReturnType<typeof p>[]) => {
    const { tokens, truncatedTokens, ...rest } = entailmentOf(plan, windows);
    expect([tokens, truncatedTokens]).toEqual([9, 2]);
    return rest;
  };

  test('logits become probabilities under the labels of the lock file', () => {
    const found = probabilitiesOf(Float32Array.of(0, Math.log(2), Math.log(5)), [
      'contradiction',
      'entailment',
      'neutral',
    ]);
    expect(found.contradiction).toBeCloseTo(1 / 8, 6);
    expect(found.entailment).toBeCloseTo(2 / 8, 6);
    expect(found.neutral).toBeCloseTo(5 / 8, 6);
    expect(
      probabilitiesOf(Float32Array.of(1000, 0, -1000), ['entailment', 'neutral', 'contradiction']),
    ).toEqual(p(1, 0, 0));
  });

  test('a window that contradicts is looked at before one that entails', () => {
    expect(verdict(p(0.98, 0.01, 0.01), p(0.1, 0.3, 0.6), p(0.2, 0.35, 0.45))).toEqual(p(0.1, 0.3, 0.6));
  });

  test('without contradiction, one window that entails is enough', () => {
    expect(verdict(p(0.1, 0.8, 0.1), p(0.7, 0.2, 0.1), p(0.3, 0.4, 0.3))).toEqual(p(0.7, 0.2, 0.1));
  });

  test('otherwise the least neutral window speaks', () => {
    expect(verdict(p(0.1, 0.8, 0.1), p(0.2, 0.5, 0.3))).toEqual(p(0.2, 0.5, 0.3));
  });

  test("a contradiction that is not its window's verdict does not hide an entailment", () => {
    expect(verdict(p(0.05, 0.55, 0.4), p(0.8, 0.15, 0.05))).toEqual(p(0.8, 0.15, 0.05));
  });

  test('only a window whose verdict it is speaks for a label', () => {
    expect(verdict(p(0.1, 0.46, 0.44), p(0.29, 0.29, 0.42))).toEqual(p(0.29, 0.29, 0.42));
  });

  test('a tie is no support', () => {
    expect(winner(p(0.4, 0.2, 0.4))).toBe('contradiction');
    expect(winner(p(0.4, 0.4, 0.2))).toBe('neutral');
    expect(winner(p(0.5, 0.3, 0.2))).toBe('entailment');
  });
});
