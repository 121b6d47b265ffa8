import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearDuplicates, normaliseQuestion } from './near-duplicates.ts';
import { UnionFind } from './union-find.ts';

describe('normaliseQuestion', () => {
  it.each([
    ['When was Beyoncé born?', 'when was beyonce born'],
    ['  WHEN was\tBeyoncé  born ', 'when was beyonce born'],
    ['It’s №1—really…', 'it s no1 really'],
    ['１２', '12'],
    [' ?! ', '?!'],
    ['', ''],
  ])('%j', (text, normalised) => {
    expect(normaliseQuestion(text)).toBe(normalised);
  });
});

/** The definition, pair by pair. */
function similarity(a: string, b: string): number {
  const pairs = (text: string) => {
    const words = ['', ...normaliseQuestion(text).split(' '), ''];
    return new Set(words.slice(1).map((word, i) => JSON.stringify([words[i], word])));
  };
  const [one, other] = [pairs(a), pairs(b)];
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return shared / (one.size + other.size - shared);
}

function connected(size: number, pairs: readonly (readonly [number, number])[]): number[][] {
  const sets = new UnionFind(size);
  for (const [a, b] of pairs) sets.unite(a, b);
  return sets.sets();
}

describe('nearDuplicates', () => {
  it('finds long questions that differ in a word, not short ones', () => {
    const long = 'In which year did the committee decide that the old bridge over the river must be closed';
    const questions = [
      long,
      `${long.replace('must', 'should')}?`,
      'Who leads it?',
      'Who led it?',
      'who LEADS it',
    ];
    expect(nearDuplicates(questions)).toEqual([
      [2, 4],
      [0, 1],
    ]);
  });

  it('connects exactly what all pairs connect', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'the', 'of');
    const questions = fc.array(
      fc.array(word, { minLength: 0, maxLength: 9 }).map((words) => words.join(' ')),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(questions, fc.constantFrom(0.3, 0.5, 2 / 3, 0.8, 1), (texts, threshold) => {
        const all: [number, number][] = [];
        for (let j = 0; j < texts.length; j++) {
          for (let i = 0; i < j; i++) {
            if (similarity(texts[i]!, texts[j]!) >= threshold - 1e-9) all.push([i, j]);
          }
        }
        // At 1 two different questions can have the same word pairs, and are then as good as equal.
        const found = nearDuplicates(texts, threshold);
        for (const [i, j] of found)
          expect(similarity(texts[i]!, texts[j]!)).toBeGreaterThan(threshold - 1e-9);
        expect(connected(texts.length, found)).toEqual(connected(texts.length, all));
      }),
      { numRuns: 500 },
    );
  });
});
