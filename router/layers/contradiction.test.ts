import { describe, expect, it } from 'vitest';
import { isCaption, sentenceAround } from './contradiction.ts';

describe('the sentence around a span', () => {
  const around = (text: string, words: string): string => {
    const start = text.indexOf(words);
    return sentenceAround(text, { start, end: start + words.length });
  };

  it('ends at a paragraph and is whole when the span runs over two', () => {
    expect(around('Heading\n\nTwo years long\n\nNext', 'Two years')).toBe('Two years long');
    expect(around('A one. B two. C three.', 'one. B')).toBe('A one. B');
  });

  it('begins shortly before a span that stands far behind', () => {
    const cut = around(`It is ${'very '.repeat(200)}late in 1950, they say.`, '1950');
    expect(cut).toMatch(/^…very (?:very )*late in 1950, they say\.$/);
    expect(cut.length).toBeLessThan(160);
    expect(around('x'.repeat(5000), 'x'.repeat(4000)).length).toBeGreaterThan(3000);
  });
});

it.each([
  ['Default Editor Menu Bindings', true],
  ['Opening Hours of the North Gate', true],
  ['The gate is painted green', false],
  ['Opening Hours: Nine to Five', false],
  ['Ada Quist | Director | North', false],
  ['Level 3 Gate Keeper', false],
  ['Ada Quist', false],
  ['it is off', false],
  ['the fee is due', false],
  ['DO NOT DISCONNECT POWER', false],
])('takes a caption for no statement: %s (%s)', (sentence, caption) => {
  expect(isCaption(sentence)).toBe(caption);
});
