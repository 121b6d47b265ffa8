import { expect, test } from 'vitest';
import { relevanceOf } from './rerank.ts';

const plan = { windows: [], tokens: 3, truncatedTokens: 1 };

test('a passage is as relevant as its most relevant window', () => {
  expect(relevanceOf(plan, [-3, 0, -1])).toEqual({ score: 0.5, logit: 0, tokens: 3, truncatedTokens: 1 });
});

test('far logits stay in [0, 1]', () => {
  expect(relevanceOf(plan, [900]).score).toBe(1);
  expect(relevanceOf(plan, [-900]).score).toBe(0);
});
