import { expect, it } from 'vitest';
import { bleu, bleuCounts, contentRecall, rougeL } from './text-metrics.ts';

const one = (candidate: string, reference: string) => bleu([bleuCounts(candidate, reference)]);

it('BLEU by the formula: clipped precisions, brevity penalty, over the whole corpus', () => {
  expect(one('a b c d e', 'a b c d e')).toBeCloseTo(1, 12);
  // 4 of 5, 3 of 4, 2 of 3 and 1 of 2 n-grams, no penalty.
  expect(one('a b c d x', 'a b c d e')).toBeCloseTo(((4 / 5) * (3 / 4) * (2 / 3) * (1 / 2)) ** 0.25, 12);
  // All there, but four words for six.
  expect(one('a b c d', 'a b c d e f')).toBeCloseTo(Math.exp(1 - 6 / 4), 12);
  expect(one('a a a a', 'a b c d')).toBe(0);
  const corpus = bleu([bleuCounts('a b c d x', 'a b c d e'), bleuCounts('a b c d', 'a b c d e f')]);
  const precisions = (8 / 9) * (6 / 7) * (4 / 5) * (2 / 3);
  expect(corpus).toBeCloseTo(precisions ** 0.25 * Math.exp(1 - 11 / 9), 12);
  expect(bleu([])).toBeNull();
});

it('ROUGE-L by the longest common subsequence', () => {
  // "a c e" of 5 and 4 words.
  expect(rougeL('a b c d e', 'a c x e')).toBeCloseTo((2 * 3) / 9, 12);
  expect(rougeL('', '')).toBe(1);
  expect(rougeL('a', '')).toBe(0);
  expect(rougeL("Who is Ada's mother?", 'who is ADA mother')).toBe(1);
});

it('content words: what is there and what is too much', () => {
  expect(contentRecall('When did Frank Zappa tour Europe?', 'When did Frank Zappa tour?')).toEqual({
    recall: 1,
    extra: 1,
  });
  expect(contentRecall('When did he tour?', 'When did Frank Zappa tour?')).toEqual({
    recall: 1 / 3,
    extra: 0,
  });
  expect(contentRecall('Frank', 'What is it?')).toEqual({ recall: null, extra: 1 });
});
