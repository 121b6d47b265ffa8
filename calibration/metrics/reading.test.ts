import { describe, expect, it } from 'vitest';
import { answerF1, exactMatch, normaliseAnswer } from './reading.ts';

describe('normaliseAnswer', () => {
  it.each([
    ['The Eiffel Tower.', 'eiffel tower'],
    ['  a\tb \n an  apple', 'b apple'],
    ['U.S.A.', 'usa'],
    ['twenty-one', 'twentyone'],
    ['$1,000_000', '1000000'],
    ['theatre and analysis', 'theatre and analysis'],
    ["the 'The'", ''],
    ['Ångström – the unit', 'ångström – unit'],
    // An accented letter is a letter: no article hides behind it.
    ['éa', 'éa'],
    ['a1 the2', 'a1 the2'],
    ['“quoted”', '“quoted”'],
  ])('%j becomes %j', (text, expected) => {
    expect(normaliseAnswer(text)).toBe(expected);
  });
});

describe('exactMatch', () => {
  it('takes the best of the gold answers', () => {
    expect(exactMatch('The Broncos', ['Denver Broncos', 'broncos!'])).toBe(1);
    expect(exactMatch('Broncos', ['Denver Broncos'])).toBe(0);
  });

  it('cannot score without gold answers', () => {
    expect(exactMatch('x', [])).toBeNull();
    expect(answerF1('x', [])).toBeNull();
  });
});

describe('answerF1', () => {
  it.each([
    ['Denver Broncos', ['Denver Broncos'], 1],
    ['Denver Broncos', ['Broncos'], 2 / 3],
    ['the Denver', ['Broncos'], 0],
    // One "b" is shared twice, the third is not: 2 shared of 3 and of 2.
    ['b b b', ['b b'], 0.8],
    ['', ['x'], 0],
    ['', ['the'], 1],
    ['the', ['x', 'a'], 0],
    ['constructor', ['__proto__ constructor'], 2 / 3],
  ])('%j against %j is %d', (answer, golds, expected) => {
    expect(answerF1(answer, golds)).toBeCloseTo(expected, 12);
  });
});
