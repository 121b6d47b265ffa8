import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultModelsDir } from './registry.ts';
import layouts from './testing/layouts.json' with { type: 'json' };
import { Tokenizer } from './tokenizer.ts';
import { MAX_WINDOWS, planPair, planReading, singleSequence } from './windows.ts';

const path = join(defaultModelsDir(), 'bert-uncased/tokenizer.json');
const tokenizer = new Tokenizer(JSON.parse(readFileSync(path, 'utf8')));
const { cls, sep } = tokenizer;

function plan(first: string, second: string, long: 'first' | 'second', max: number) {
  const [a, b] = [tokenizer.encode(first), tokenizer.encode(second)];
  return { ...planPair(tokenizer, a, b, long, long === 'first' ? first : second, max), a, b };
}

test('what fits is one window', () => {
  const { windows, tokens, truncatedTokens, a, b } = plan('who sleeps', 'ada sleeps', 'second', 32);
  expect(windows).toEqual([
    { sequence: { ids: [cls, ...a.ids, sep, ...b.ids, sep], second: 4 }, from: 0, to: 2, offset: 4 },
  ]);
  expect([tokens, truncatedTokens]).toEqual([4, 0]);
});

test('nothing is a window too', () => {
  const { windows } = plan('', '', 'first', 32);
  expect(windows).toEqual([{ sequence: { ids: [cls, sep, sep], second: 2 }, from: 0, to: 0, offset: 1 }]);
  expect(singleSequence(tokenizer, tokenizer.encode(''), 32)).toEqual({ ids: [cls, sep], second: 2 });
});

test('windows end where sentences end', () => {
  const sentence = 'The cat sat on the mat today. ';
  const { windows, b } = plan('q', sentence.repeat(9), 'second', 32);
  const size = b.ids.length / 9;
  for (const { from, to } of windows) {
    expect(from % size).toBe(0);
    expect(to - from).toBe(Math.floor(28 / size) * size);
  }
});

test('a sentence that is too long is cut between words', () => {
  const { windows, b } = plan('q', 'unaffable '.repeat(40), 'second', 32);
  expect(windows.length).toBe(MAX_WINDOWS);
  for (const { from, to } of windows) expect([b.heads[from], b.heads[to]]).toEqual([1, 1]);
});

test('the short side is cut only as far as it must', () => {
  expect(plan('x '.repeat(25), 'y', 'second', 32).truncatedTokens).toBe(0);
  const { windows, truncatedTokens } = plan('x '.repeat(100), 'y '.repeat(14), 'second', 32);
  expect(windows).toHaveLength(1);
  expect(truncatedTokens).toBe(100 - 15);
});

test('whatever the texts: limits kept, every word piece counted once, windows in a row', () => {
  const text = fc.array(
    fc.constantFrom('word', 'unaffable', '. ', '!', '漢', 'é', '[SEP]', '\u200b', 'x'.repeat(120)),
    {
      maxLength: 200,
    },
  );
  fc.assert(
    fc.property(text, text, fc.boolean(), fc.integer({ min: 16, max: 64 }), (left, right, isFirst, max) => {
      const long = isFirst ? 'first' : 'second';
      const { windows, tokens, truncatedTokens, a, b } = plan(left.join(' '), right.join(' '), long, max);
      expect(tokens + truncatedTokens).toBe(a.ids.length + b.ids.length);
      expect(windows.length).toBeGreaterThan(0);
      expect(windows.length).toBeLessThanOrEqual(MAX_WINDOWS);
      const split = isFirst ? a : b;
      let at = 0;
      for (const { sequence, from, to, offset } of windows) {
        expect(sequence.ids.length).toBeLessThanOrEqual(max);
        expect(from).toBe(at);
        if (split.ids.length > 0) expect(to).toBeGreaterThan(from);
        expect(sequence.ids.slice(offset, offset + to - from)).toEqual(split.ids.slice(from, to));
        expect(sequence.ids.filter((id) => id === sep)).toHaveLength(2);
        expect(sequence.ids[sequence.second - 1]).toBe(sep);
        at = to;
      }
      if (windows.length < MAX_WINDOWS) expect(at).toBe(split.ids.length);
    }),
    { numRuns: 300 },
  );
});

describe('a model that was trained with titles', () => {
  const TITLED = { query: 80, title: 24 };
  const MAX = 320;

  function reading(
    asked: { query: string; title?: string | null; heading?: string; passage: string },
    max = MAX,
  ) {
    const { query, title, heading = '', passage } = asked;
    const encoded = {
      query: tokenizer.encode(query),
      title: tokenizer.encode(title ?? ''),
      heading: tokenizer.encode(heading),
      passage: tokenizer.encode(passage),
    };
    return { ...planReading(tokenizer, encoded, passage, max, TITLED), encoded };
  }

  test.each(layouts.readings)('reads what it was trained on: $query, $title', (example) => {
    const { windows } = reading(example);
    expect(windows[0]!.sequence).toEqual({ ids: example.ids, second: example.second });
  });

  test.each(layouts.pairs)(
    'claims are laid out as before: $premise',
    ({ premise, hypothesis, ...wanted }) => {
      expect(plan(premise, hypothesis, 'first', MAX).windows[0]!.sequence).toEqual(wanted);
    },
  );

  test('a heading is read before the words of every window, as part of the passage', () => {
    const asked = { query: 'how long', title: 'bridges', passage: 'stone '.repeat(700) };
    const [plain, headed] = [reading(asked), reading({ ...asked, heading: 'arches:' })];
    expect(headed.encoded.heading.ids).toHaveLength(2);
    expect(headed.tokens).toBe(plain.tokens + 2);
    expect(headed.windows.length).toBeGreaterThan(1);
    for (const { sequence, offset, from } of headed.windows) {
      expect(sequence.second).toBe(plain.windows[0]!.sequence.second);
      expect(offset).toBe(sequence.second + 2);
      expect(sequence.ids.slice(sequence.second, offset)).toEqual(headed.encoded.heading.ids);
      expect(sequence.ids[offset]).toBe(headed.encoded.passage.ids[from]);
    }
  });

  test('what is cut off query, title and passage is counted', () => {
    const { windows, tokens, truncatedTokens } = reading({
      query: 'why '.repeat(100),
      title: 'bridges '.repeat(30),
      passage: 'stone '.repeat(900),
    });
    const room = MAX - (1 + 80 + 1) - (24 + 1) - 1;
    expect(windows.map(({ to }) => to)).toEqual([1, 2, 3, 4].map((n) => n * room));
    expect(tokens).toBe(80 + 24 + 4 * room);
    expect(truncatedTokens).toBe(20 + 6 + 900 - 4 * room);
  });

  test('the title stands in every window, and spans are found behind it', () => {
    const { windows, encoded } = reading({
      query: 'Who?',
      title: 'Ada',
      passage: 'Ada sleeps. '.repeat(300),
    });
    expect(windows.length).toBe(3);
    for (const { sequence, from, to, offset } of windows) {
      expect(sequence.ids.slice(0, 6)).toEqual([cls, ...encoded.query.ids, sep, ...encoded.title.ids, sep]);
      expect(sequence.second).toBe(offset);
      expect(sequence.ids.slice(offset, -1)).toEqual(encoded.passage.ids.slice(from, to));
    }
  });
});
