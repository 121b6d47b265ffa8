import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flow, table } from './layout.ts';

describe('flow', () => {
  it('breaks between words, keeps styles around whole words and indents every line', () => {
    const bold = (text: string) => `<${text}>`;
    expect(flow([{ text: 'one two' }, { text: ' three four', style: bold }, { text: '.' }], 14, '  ')).toBe(
      '  one two\n  <three four>.',
    );
  });

  it('joins runs that no space parts', () => {
    const mark = (text: string) => `*${text}*`;
    expect(flow([{ text: '(' }, { text: '90 days', style: mark }, { text: ').' }], 80)).toBe('(*90 days*).');
  });

  it('keeps every word, never exceeds the width but for one long word, and sends no control character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 4, max: 40 }),
        (text, width) => {
          const lines = flow([{ text }], width).split('\n');
          for (const line of lines) {
            expect(line.length <= width || !line.includes(' ')).toBe(true);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
          const words = flow([{ text }], Number.POSITIVE_INFINITY).split(' ');
          expect(lines.join(' ').split(' ')).toEqual(words);
        },
      ),
    );
  });
});

describe('table', () => {
  it('lines columns up, numbers to the right', () => {
    expect(
      table(
        [
          ['a', 'n'],
          ['bbb', 7],
          ['c\u001b[1m', 1234],
        ],
        '',
      ),
    ).toBe('a      n\nbbb       7\nc\u241b[1m  1234');
  });

  it('is empty without rows', () => {
    expect(table([])).toBe('');
  });
});
