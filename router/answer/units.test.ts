import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { plainSources, sourcesIn } from './testing/sources.ts';
import { quoteOf, textOf, unitsOf, wholeWords } from './units.ts';

const shown = (html: string) =>
  sourcesIn(html)
    .flatMap(unitsOf)
    .map((unit) => `${unit.kind}: ${textOf(unit)}`);

describe('units of a passage', () => {
  it('are sentences, items, terms, rows and code, never across what the author parted', () => {
    expect(
      shown(
        '<h1>Keys</h1><p>Press one. Then wait.</p><ol><li>Open it.<ul><li>gently</li></ul></li><li>Shut it. Go.</li></ol>' +
          '<pre>make all\nmake it</pre><table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>1</td></tr></table>',
      ),
    ).toEqual([
      'sentence: Press one.',
      'sentence: Then wait.',
      'sentence: Open it.',
      'sentence: gently',
      'sentence: Shut it.',
      'sentence: Go.',
      'code: make all\nmake it',
      'row: k | v',
      'row: a | 1',
    ]);
    expect(shown('<dl><dt>--all</dt><dd>Takes everything along. Slow.</dd></dl>')).toEqual([
      'term: --all',
      'sentence: Takes everything along.',
      'sentence: Slow.',
    ]);
  });

  it('of a text without structure are its sentences, paragraph by paragraph', () => {
    const [source] = plainSources('One stands here. Two\nstands there.\n\nThree is apart');
    expect(unitsOf(source!).map(textOf)).toEqual([
      'One stands here.',
      'Two\nstands there.',
      'Three is apart',
    ]);
  });

  it('are slices of their passage, in order and apart, whatever the page', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<ul>',
      '<li>',
      '</ul>',
      '<ol>',
      '<dl><dt>',
      '<dd>',
      '</dl>',
      '<pre>',
      '</pre>',
      '<table><tr><td>',
      '</table>',
      'Some words. More.',
      ' 1. ',
      '\u{1f600}',
      '<h2>Head</h2>',
      '&nbsp;',
      '- ',
      '<div>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const source of sourcesIn(pieces.join(''), 20)) {
          let at = 0;
          for (const unit of unitsOf(source)) {
            expect(unit.start).toBeGreaterThanOrEqual(at);
            expect(unit.end).toBeGreaterThan(unit.start);
            expect(unit.end).toBeLessThanOrEqual(source.evidence.text.length);
            const { text, start } = quoteOf(unit, 'answer');
            expect(text).toBe(textOf(unit));
            expect(start).toBe(source.evidence.start + unit.start);
            at = unit.end;
          }
        }
      }),
    );
  });
});

test('a range inside a name is widened to the name, and to nothing else', () => {
  const widened = (text: string, words: string) => {
    const start = text.indexOf(words);
    const range = wholeWords(text, { start, end: start + words.length });
    return text.slice(range.start, range.end);
  };
  expect(widened('exception subprocess.TimeoutExpired: a subclass', 'exception subprocess')).toBe(
    'exception subprocess.TimeoutExpired',
  );
  expect(widened('It reads ~/.bashrc, if there.', 'bashrc')).toBe('~/.bashrc');
  expect(widened('Use --norc. Then go.', 'norc')).toBe('--norc');
  expect(widened('It ends in 1945. Then peace came.', '1945')).toBe('1945');
  expect(widened('the (red) house', 'red')).toBe('red');
  expect(widened('It shows “a few” of them', 'few')).toBe('few');
});
