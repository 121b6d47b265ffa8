import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UnigramTokenizer } from './unigram.ts';
import { planPair } from './windows.ts';

// A vocabulary of 500 pieces made by sentencepiece; the ids below come from Hugging Face's own tokenizers.
const file = () => JSON.parse(readFileSync(new URL('./testing/unigram.json', import.meta.url), 'utf8'));
const tokenizer = new UnigramTokenizer(file());

describe('unigram', () => {
  it.each<[string, number[]]>([
    [
      'The bridge was opened to traffic in 1932 after six years of work.',
      [
        51, 271, 35, 12, 62, 17, 125, 362, 32, 47, 4, 10, 28, 15, 56, 56, 135, 43, 4, 16, 14, 27, 29, 333, 4,
        5, 35, 209, 361, 5, 36, 320, 6,
      ],
    ],
    ['Who wrote the report?', [4, 497, 499, 19, 4, 54, 28, 19, 97, 9, 327, 299]],
    ['  spaces   and\ttabs\nand lines  ', [4, 5, 25, 15, 61, 96, 4, 22, 4, 10, 15, 83, 5, 4, 22, 143, 74, 5]],
    [
      'na\u00efve caf\u00e9 \ufb01ne \uff26\uff35\uff2c\uff2c width',
      [4, 21, 15, 3, 154, 98, 15, 56, 3, 69, 232, 167, 218, 162, 162, 4, 54, 35, 12, 10, 499],
    ],
    ["don't stop-me (now)!", [269, 21, 151, 10, 4, 44, 19, 25, 23, 18, 17, 86, 275, 73, 3]],
    ['', []],
    ['   ', []],
    ['\u00c5NGSTR\u00d6M Stra\u00dfe', [4, 3, 146, 220, 104, 99, 88, 3, 193, 4, 104, 10, 28, 15, 3, 17]],
    ['\u65e5\u672c\u8a9e text', [4, 3, 228]],
    ['emoji \ud83d\ude00 here', [4, 17, 18, 19, 450, 35, 4, 3, 4, 499, 68, 17]],
    ['a\u200bb zero\u00a0width', [11, 4, 83, 4, 426, 68, 19, 4, 54, 35, 12, 10, 499]],
    [
      'unaffable calibration thresholds',
      [160, 15, 56, 56, 288, 4, 413, 4, 10, 499, 72, 5, 499, 19, 20, 12, 5],
    ],
    [
      'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      [
        4, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209,
        209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209,
        209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209,
        209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209, 209,
        209, 209, 209, 209, 209, 209, 209, 209, 209, 209,
      ],
    ],
    ['1,234.56 % of the stations', [4, 16, 8, 29, 27, 24, 6, 26, 30, 4, 494, 36, 9, 115, 5]],
    [
      'https://example.org/a?b=c',
      [4, 499, 10, 10, 25, 5, 34, 63, 63, 17, 209, 15, 18, 25, 76, 6, 102, 62, 63, 15, 299, 83, 210, 61],
    ],
    ['\u2167 \u00bd \u2460', [4, 447, 190, 190, 190, 4, 16, 3, 29, 4, 16]],
    [
      '\u2026and \u201cquotes\u201d \u2014 dashes',
      [4, 6, 6, 6, 22, 4, 3, 199, 42, 19, 97, 5, 3, 4, 3, 4, 12, 15, 5, 499, 96],
    ],
  ])('%j', (text, ids) => {
    expect(tokenizer.encode(text).ids).toEqual(ids);
  });

  it('lays a pair as the original does', () => {
    const [first, second] = ['Ada sleeps.', 'Ada is awake.'].map((text) => tokenizer.encode(text)) as never[];
    const { windows } = planPair(tokenizer, first!, second!, 'first', 'Ada sleeps.', 64);
    expect(windows[0]!.sequence.ids).toEqual([
      1, 65, 12, 15, 4, 5, 76, 17, 25, 5, 6, 2, 65, 12, 15, 31, 11, 54, 15, 234, 6, 2,
    ]);
  });

  it('makes no special token of text', () => {
    for (const text of ['[SEP]', 'a [SEP] b', '[CLS][PAD][UNK][MASK]', ' 2 ', '\u0000', 'x[SEP]y']) {
      const { ids } = tokenizer.encode(text);
      for (const id of [0, 1, 2, 500]) expect(ids).not.toContain(id);
    }
  });

  it('says where each word stood', () => {
    const text = '  The bridge\n was \u{1f600} opened.';
    const { starts, ends, heads, ids } = tokenizer.encode(text);
    const words = heads.flatMap((head, i) => (head === 1 ? [text.slice(starts[i], ends[i])] : []));
    expect(words).toEqual(['The', 'bridge', 'was', '\u{1f600}', 'opened.']);
    expect([starts.length, ends.length]).toEqual([ids.length, ids.length]);
  });

  it('takes a megabyte on one line, in slices the same as at once', async () => {
    const long = `${'unaffable '.repeat(20_000)}${'x'.repeat(100_000)}\u{1f600}${'\ud83d'.repeat(1000)}`;
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    });
    const [whole] = await tokenizer.encodeAll([long]);
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
    const once = tokenizer.encode(long);
    expect(whole!.ids.length).toBe(once.ids.length);
    expect(whole!.ids.every((id, i) => id === once.ids[i] && whole!.starts[i] === once.starts[i])).toBe(true);
  });

  it('cuts a long run every 200 units, never within a surrogate pair', () => {
    for (const run of [
      'x'.repeat(401),
      `${'x'.repeat(199)}${'\u{1f600}'.repeat(201)}`,
      '\ud83d'.repeat(450),
    ]) {
      const { starts, ends, heads } = tokenizer.encode(` ${run} y`);
      const words = heads.flatMap((head, i) => (head === 1 ? [[starts[i]! - 1, ends[i]! - 1]] : []));
      const expected: number[][] = [];
      for (let at = 0; at < run.length; at = expected.at(-1)![1]!) {
        const isWithin = (run.codePointAt(at + 199) ?? 0) > 0xffff;
        expected.push([at, Math.min(run.length, at + (isWithin ? 199 : 200))]);
      }
      expect(words).toEqual([...expected, [run.length + 1, run.length + 2]]);
    }
  });

  it('refuses files of other kinds', () => {
    for (const spoil of [
      (f: ReturnType<typeof file>) => Object.assign(f.model, { byte_fallback: true }),
      (f: ReturnType<typeof file>) => f.post_processor.pair.pop(),
      (f: ReturnType<typeof file>) => Object.assign(f, { added_tokens: [] }),
      (f: ReturnType<typeof file>) => Object.assign(f.pre_tokenizer, { type: 'ByteLevel' }),
    ]) {
      const spoilt = file();
      spoil(spoilt);
      expect(() => new UnigramTokenizer(spoilt)).toThrow();
    }
  });
});
