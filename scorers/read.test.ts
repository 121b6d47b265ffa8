import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readingOf } from './read.ts';
import { defaultModelsDir } from './runtime/registry.ts';
import { Tokenizer } from './runtime/tokenizer.ts';
import { planPair } from './runtime/windows.ts';

const path = join(defaultModelsDir(), 'bert-uncased/tokenizer.json');
const tokenizer = new Tokenizer(JSON.parse(readFileSync(path, 'utf8')));

/** Reads `passage` with logits of -5 everywhere except where said, by word piece of the passage. */
function read(
  passage: string,
  starts: Record<number, number>,
  ends: Record<number, number>,
  max = 64,
  none: number[] = [],
) {
  const encoding = tokenizer.encode(passage);
  const plan = planPair(tokenizer, tokenizer.encode('q'), encoding, 'second', passage, max);
  const logits = plan.windows.map(({ sequence, from, offset }, w) => {
    const array = (values: Record<number, number>) =>
      Float32Array.from(sequence.ids, (_, i) =>
        i === 0 ? (none[w] ?? 0) : i < offset ? 9 : (values[i - offset + from] ?? -5),
      );
    return { start: array(starts), end: array(ends) };
  });
  return readingOf(plan, encoding, passage, logits);
}

test('the best span, against no answer at position 0', () => {
  const reading = read('It opened in 1932 after years', { 3: 4 }, { 3: 3 });
  expect(reading.best).toEqual({ text: '1932', start: 13, end: 17, score: 7 });
  expect(reading).toMatchObject({ noAnswer: 0, margin: 7 });
});

test('the question is never the answer', () => {
  expect(read('a b', {}, {}).best!.score).toBe(-10);
});

test('an end before its start is no span', () => {
  const { best } = read('one two three four', { 3: 4 }, { 0: 9, 3: 1 });
  expect(best!.text).toBe('four');
});

test('a span is no longer than an answer can be', () => {
  const { best } = read('w '.repeat(50), { 0: 5 }, { 0: 1, 30: 50 });
  expect([best!.start, best!.end]).not.toEqual([0, 61]);
  expect(read('w '.repeat(50), { 0: 5 }, { 29: 50 }).best).toMatchObject({ start: 0, end: 59 });
});

test('spans are whole words and whole numbers', () => {
  const passage = 'unaffable people paid 1,234.50 crowns, then 7.';
  const pieces = tokenizer.encode(passage);
  const at = (text: string) =>
    pieces.starts.findIndex((start, i) => passage.slice(start, pieces.ends[i]) === text);
  expect(read(passage, { [at('ff')]: 4 }, { [at('ff')]: 4 }).best!.text).toBe('unaffable');
  expect(read(passage, { [at('234')]: 4 }, { [at('234')]: 4 }).best!.text).toBe('1,234.50');
  expect(read(passage, { [at('7')]: 4 }, { [at('7')]: 4 }).best!.text).toBe('7');
  expect(read(passage, { [at('crowns')]: 4 }, { [at('crowns')]: 4 }).best!.text).toBe('crowns');
});

test('a span holds a letter or a digit', () => {
  const { best, alternatives } = read('pay $ 5 .', { 1: 5, 3: 6 }, { 2: 5, 3: 6 });
  expect(best!.text).toBe('$ 5 .');
  expect(alternatives.map((span) => span.text)).toEqual(['pay']);
});

test('alternatives do not overlap and come best first', () => {
  const { best, alternatives } = read('red green blue gold', { 0: 5, 1: 4, 2: 3 }, { 0: 5, 1: 4, 2: 3 });
  expect([best!, ...alternatives].map((span) => span.text)).toEqual(['red', 'green', 'blue', 'gold']);
});

test('windows are compared by their own margin', () => {
  const passage = 'a b c d e f g h i j k l m n o p q r s t u v w x y z';
  const inLater = read(passage, { 0: 5, 20: 4 }, { 0: 5, 20: 4 }, 16, [4, -4]);
  expect(inLater.best!.text).toBe('u');
  // The next one is "a" of the first window, score 10: 16 less 2.
  expect(inLater).toMatchObject({ noAnswer: -8, margin: 16, lead: 14 });
});

test('a passage without a word has no span', () => {
  for (const passage of [' \u200b ', '... !!! —']) {
    expect(read(passage, {}, {})).toMatchObject({ best: null, alternatives: [], margin: -100, noAnswer: 0 });
  }
});

test.each([
  ['a paragraph', 'first part\n\nsecond part'],
  ['a list item', 'first part\n- second part'],
  ['a numbered step', 'first part\n2. second part'],
  ['a table row', '| first part |\n| second part |'],
])('a span does not run into the next block: %s', (_, passage) => {
  const pieces = tokenizer.encode(passage);
  const at = (text: string) =>
    pieces.starts.findIndex((start, i) => passage.slice(start, pieces.ends[i]) === text);
  expect(read(passage, { [at('first')]: 6 }, { [at('second')]: 6 }).best!.text).not.toMatch(
    /first[\s\S]*second/,
  );
});

test('a span runs over the end of a wrapped line', () => {
  expect(read('blocked by\npollen', { 0: 6 }, { 2: 6 }).best!.text).toBe('blocked by\npollen');
});
