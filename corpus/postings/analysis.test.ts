import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse, fold, MAX_TERM, scanTerms } from './analysis.ts';

describe('analyse', () => {
  it.each<[string, string, string[]]>([
    ['words are folded and stemmed', 'The Dogs were RUNNING', ['the', 'dog', 'were', 'run']],
    ['accents fall away, also decomposed ones', 'Café Cafe\u0301 naïve', ['cafe', 'cafe', 'naiv']],
    ['compatibility forms are unified', 'ﬁne Ａ１ ²', ['fine', 'a1', '2']],
    ['letters of their own are spelt out', 'Straße Ærø', ['strass', 'aero']],
    ['invisible characters vanish', 'pass\u200bword \u{e0041}soft\u00adware\ufeff', ['password', 'softwar']],
    ['identifiers keep their whole', 'ADR-0012 §12.3', ['adr', '0012', 'adr-0012', '12', '3', '12.3']],
    ['plain compounds are their parts', 'well-known and/or', ['well', 'known', 'and', 'or']],
    ['thousands are one number', '1,234,567 1,23 12,3456', ['1234567', '1', '23', '12', '3456']],
    ['acronyms lose their dots', 'U.S. a.m.', ['us', 'am']],
    ['a possessive falls away, curly or not', "Beyoncé's dog’s", ['beyonc', 'dog']],
    ['signs of languages stay', 'C++ C# c', ['c', 'c++', 'c', 'c#', 'c']],
    ['scripts without spaces', '東京都', ['東', '東京', '京', '京都', '都']],
    ['emoji are terms', 'ship it 🚀👍🏽', ['ship', 'it', '🚀', '👍']],
    ['inherited names are words', '__proto__ constructor', ['proto', 'constructor']],
    ['nothing', ' \u200b\n…— ', []],
  ])('%s', (_, text, terms) => {
    expect(analyse(text)).toEqual(terms);
  });

  it('says which terms only combine others, and what word each stands for', () => {
    const seen: [string, string, boolean][] = [];
    scanTerms('Boats v2-7', (...term) => seen.push(term));
    expect(seen).toEqual([
      ['boat', 'boats', false],
      ['v2', 'v2', false],
      ['7', '7', false],
      ['v2-7', 'v2-7', true],
    ]);
  });

  it('bounds every term and never loses a giant word', () => {
    const giant = 'x'.repeat(100_000);
    expect(analyse(`${giant} ${'a-1-'.repeat(50)}`).every((term) => term.length <= MAX_TERM)).toBe(true);
    expect(analyse(giant)).toEqual(['x'.repeat(MAX_TERM)]);
  });

  it('takes any text, and the same text in capitals alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(analyse(text).every((term) => term.length > 0 && term.length <= MAX_TERM)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(analyse(text.toUpperCase())).toEqual(analyse(text));
      }),
    );
  });

  it('does not sort endless combining marks, which takes quadratic time', () => {
    const marks = '\u0301\u0323'.repeat(500_000);
    expect(fold(`a${marks}b`)).toBe('ab');
    expect(analyse(`q${'\uff9e\u0301'.repeat(500_000)}`).length).toBeGreaterThan(0);
  });
});
