import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentences } from './sentences.ts';

const split = (text: string) =>
  sentences(text, 0, text.length).map(({ start, end }) => text.slice(start, end));

describe('sentences', () => {
  it.each<[string, string[]]>([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['Dr. Smith paid $3.5 million. He left.', ['Dr. Smith paid $3.5 million.', 'He left.']],
    ['In the U.S. Army he rose. It was war.', ['In the U.S. Army he rose.', 'It was war.']],
    ['He moved to the U.S. The move was hard.', ['He moved to the U.S.', 'The move was hard.']],
    [
      'It is by J. K. Rowling. See Fig. 3. No. 5 won.',
      ['It is by J. K. Rowling.', 'See Fig. 3.', 'No. 5 won.'],
    ],
    ['"Yes!" he said. "No!" She left.', ['"Yes!" he said.', '"No!"', 'She left.']],
    ['1. Open it. 2. Close it.', ['1. Open it.', '2. Close it.']],
    ['It went e.g. to Gen. Lee and cf. Brown.', ['It went e.g. to Gen. Lee and cf. Brown.']],
    ['A line\nthat goes on. The\r\nnext one.', ['A line\nthat goes on.', 'The\r\nnext one.']],
    ['東京は大きい。次の文。', ['東京は大きい。', '次の文。']],
    ['Founded Jan. 5 in Rome. Closed.', ['Founded Jan. 5 in Rome.', 'Closed.']],
    ['', []],
    [' \n ', []],
  ])('%j', (text, expected) => {
    expect(split(text)).toEqual(expected);
  });

  it('leaves out nothing but white space, in order, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '. ',
        'Dr. ',
        'A. B. ',
        '\r\n',
        '。',
        '!" ',
        ' 3.5 ',
        '\ud800',
        '\u0000',
        'x'.repeat(1600),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        let at = 0;
        for (const { start, end } of sentences(text, 0, text.length)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(text.slice(at, start).trim()).toBe('');
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(text.slice(at).trim()).toBe('');
      }),
    );
  });

  it('takes its time from the length of a text alone, without a stop or with nothing else', () => {
    for (const text of [
      'word '.repeat(100_000),
      'x'.repeat(500_000),
      '. '.repeat(100_000),
      'A. '.repeat(100_000),
    ]) {
      const found = sentences(text, 0, text.length);
      expect(Math.max(...found.map(({ start, end }) => end - start))).toBeLessThanOrEqual(3000);
    }
  });
});
