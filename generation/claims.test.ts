import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimsOf, sentencesOf, withoutMarks } from './claims.ts';

const cut = (answer: string) => sentencesOf(answer).map(({ text, citations }) => [text, citations]);

describe('sentencesOf', () => {
  it('parts sentences and keeps what each cites, before and behind its full stop', () => {
    expect(cut('It opened in 1932 [1]. It closed. [2, 3] It is red [1][4-6].')).toEqual([
      ['It opened in 1932.', [1]],
      ['It closed.', [2, 3]],
      ['It is red.', [1, 4, 5, 6]],
    ]);
  });

  it('reads the items of a list as sentences, without their marks', () => {
    expect(cut('Do this:\n1. Open it [1]\n2. Close it\n- Rest')).toEqual([
      ['Do this:', []],
      ['Open it', [1]],
      ['Close it', []],
      ['Rest', []],
    ]);
  });

  it('takes a line break within a paragraph for white space', () => {
    expect(cut('It opened\nin 1932.')).toEqual([['It opened in 1932.', []]]);
  });

  it('does not count through a range that nobody meant', () => {
    expect(cut('So it is [1-999999].')).toEqual([['So it is.', [1, 999_999]]]);
  });

  it('loses no word and gives offsets in order, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (answer) => {
        const sentences = sentencesOf(answer);
        let at = 0;
        for (const { start, end } of sentences) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
      }),
    );
  });
});

describe('claimsOf', () => {
  it.each([
    'Is it red?',
    'Here it is:',
    'Sure!',
    "I don't know.",
    'Thanks for asking.',
    '\u6771\u4eac\u3002',
    'Yes.',
    '…',
  ])('finds nothing to check in "%s"', (sentence) => {
    expect(claimsOf(sentence)).toEqual([]);
  });

  it('puts what has no verb into the question', () => {
    expect(claimsOf('Two years.', 'How long is the warranty?')[0]).toContain('warranty');
    expect(claimsOf('Yes.', 'Is the bridge red?')).toEqual(['The bridge is red.']);
    expect(claimsOf('Yes.', 'Who built it?')).toEqual([]);
  });

  it('parts whole clauses, and leaves alone what leans on another', () => {
    expect(claimsOf('The bridge was opened in 1932, and the tower was closed in 1950.')).toEqual([
      'The bridge was opened in 1932',
      'the tower was closed in 1950.',
    ]);
    expect(claimsOf('The bridge is red, and it is old.')).toEqual(['The bridge is red, and it is old.']);
  });
});

it('withoutMarks leaves brackets that are no citation', () => {
  expect(withoutMarks('See [a] and x[1] [2].')).toBe('See [a] and x.');
});
