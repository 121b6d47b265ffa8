import { describe, expect, test } from 'vitest';
import { BUCKETS, ngramFeatures } from './features.ts';
import { readQuery } from './text.ts';

describe('readQuery', () => {
  test('keeps stop words, case shape, numbers by their length and closing punctuation', () => {
    expect(readQuery("What's ADR-0012's status?")).toEqual({
      tokens: ['what', "'s", 'adr', '-', '####', "'s", 'status', '?'],
      capital: true,
      wordless: false,
      asks: false,
      degenerate: false,
    });
  });

  test.each([
    ['can a beam be loaded beyond its limit .', true],
    ['in practice, how close are they, and is it measured', true],
    ['where is the key to the mast kept', true],
    ['How are you?', false],
    ['Have a nice day, and thanks again for everything!', false],
    ['When the wind rises, the mast bends and the ropes hold.', false],
  ])('knows the form of a question without its mark: %s', (query, form) => {
    expect(readQuery(query).asks).toBe(form);
  });

  test.each([
    ['zero-width and bidi characters', 'w\u200bh\u200dy \u202eis it\u2069'],
    ['tag characters', 'why\u{E0041}\u{E0042} is it'],
    ['lone surrogates', 'why\ud800 is\udc00 it'],
    ['control characters and odd blanks', 'why\u0000is\u3000\u00a0it\u0007'],
    ['full-width letters', 'ｗｈｙ is it'],
  ])('%s make no difference', (_, query) => {
    expect(readQuery(query).tokens).toEqual(['why', 'is', 'it']);
  });

  test.each(['', ' \n\t', '\u200b\u200b', '?', '…!?', '😀', '👩‍👩‍👧‍👦', '\ud83d'])(
    '%j holds no word',
    (query) => {
      expect(readQuery(query).wordless).toBe(true);
    },
  );

  test('a megabyte is cut to its beginning and its end', () => {
    const text = readQuery(`Who ${'stuff '.repeat(200_000)}wins?`);
    expect(text.tokens).toHaveLength(96);
    expect(text.tokens[0]).toBe('who');
    expect(text.tokens.slice(-2)).toEqual(['wins', '?']);
    expect(text.degenerate).toBe(true);
    expect(readQuery('x'.repeat(1_000_000)).tokens).toEqual(['x'.repeat(24), 'x'.repeat(24)]);
  });

  test('repetition is noticed, ordinary questions are not called so', () => {
    expect(readQuery('how many why '.repeat(6)).degenerate).toBe(true);
    expect(
      readQuery('How does the cost of the plan in the north differ from the cost of the plan in the south?')
        .degenerate,
    ).toBe(false);
  });
});

describe('ngramFeatures', () => {
  const features = (query: string) => ngramFeatures(readQuery(query));

  test('are distinct, sorted, in range, finite', () => {
    for (const query of ['Who wrote it?', '__proto__ constructor toString', 'ß ﷺ \u{10FFFF}', '']) {
      const { indices, values } = features(query);
      expect([...indices]).toEqual([...new Set(indices)].sort((a, b) => a - b));
      expect(Math.max(0, ...indices)).toBeLessThan(BUCKETS);
      expect(values.every((value) => value > 0 && value < 3)).toBe(true);
    }
  });

  test('saying it again weighs nothing more', () => {
    const once = features('how many how many');
    const often = features('how many '.repeat(30));
    expect(often.indices.length).toBeLessThan(once.indices.length + 8);
  });

  test('word order and stop words tell queries apart', () => {
    expect(features('is it who')).not.toEqual(features('who is it'));
    expect(features('who is it')).not.toEqual(features('what is it'));
  });
});
