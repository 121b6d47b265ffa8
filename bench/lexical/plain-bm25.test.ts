import { expect, it } from 'vitest';
import { PlainBm25 } from './plain-bm25.ts';

const bm25 = new PlainBm25();
for (const text of [
  'red fox',
  'red red red fox and a very long tail of other words',
  'blue whale',
  '__proto__ constructor',
]) {
  bm25.add(text);
}

it('prefers short texts and rare words, ties by order', () => {
  expect(bm25.search('fox', 10)).toEqual([0, 1]);
  expect(bm25.search('red whale', 10)[0]).toBe(2);
  expect(bm25.search('red fox', 1)).toEqual([0]);
});

it('finds nothing for words that are nowhere and takes names of properties for words', () => {
  expect(bm25.search('elephant hasOwnProperty', 10)).toEqual([]);
  expect(bm25.search('', 10)).toEqual([]);
  expect(bm25.search('constructor', 10)).toEqual([3]);
});

it('scores by the formula', () => {
  const two = new PlainBm25();
  two.add('a b');
  two.add('a a c d');
  // avg length 3; idf is the same for both, so the order is that of tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len / 3)).
  const first = 2.2 / (1 + 1.2 * (0.25 + 0.5));
  const second = (2 * 2.2) / (2 + 1.2 * (0.25 + 1));
  expect(second).toBeGreaterThan(first);
  expect(two.search('a', 2)).toEqual([1, 0]);
});
