import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultModelsDir } from './registry.ts';
import { Tokenizer } from './tokenizer.ts';

const file = JSON.parse(readFileSync(join(defaultModelsDir(), 'bert-uncased/tokenizer.json'), 'utf8'));
const tokenizer = new Tokenizer(file);
const vocabulary = new Map<number, string>(
  Object.entries(file.model.vocab as Record<string, number>).map(([piece, id]) => [id, piece]),
);
const pieces = (text: string) => tokenizer.encode(text).ids.map((id) => vocabulary.get(id));

/** Text, ids and UTF-16 offsets as the reference implementation (Python `tokenizers` 0.22) gives them. */
const reference = JSON.parse(readFileSync(join(import.meta.dirname, 'testing/wordpiece.json'), 'utf8')) as [
  string,
  number[],
  [number, number][],
][];

/** Where a piece ends without the accents after its last letter, which the reference leaves out. */
function bareEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).replace(/\p{Mn}+$/u, '').length;
}

test.each(reference)('%j has the ids and offsets of the reference', (text, ids, offsets) => {
  const found = tokenizer.encode(text);
  expect(found.ids).toEqual(ids);
  expect(found.starts.map((start, i) => [start, bareEnd(text, start, found.ends[i]!)])).toEqual(offsets);
});

test('the fixture is not empty', () => {
  expect(reference.length).toBeGreaterThan(50);
});

test('special tokens in a text are only text', () => {
  const special = [0, 101, 102, 103, 100];
  for (const text of ['[SEP]', 'a [SEP] b', '[CLS][PAD][MASK]', '[sep]', '[UNK]']) {
    expect(tokenizer.encode(text).ids.filter((id) => special.includes(id))).toEqual([]);
  }
  expect(pieces('[SEP]')).toEqual(['[', 'sep', ']']);
});

test('a combining accent belongs to the letter before it', () => {
  const { ids, starts, ends } = tokenizer.encode('cafe\u0301 x');
  expect(ids).toEqual(tokenizer.encode('cafe x').ids);
  expect([starts[0], ends[0]]).toEqual([0, 5]);
});

test('lone surrogates and invisible characters leave no trace', () => {
  const plain = tokenizer.encode('ab cd').ids;
  expect(tokenizer.encode('a\ud800b c\udc00d\ud800').ids).toEqual(plain);
  expect(tokenizer.encode('a\u200bb\u0000 \u202ecd\u{e0041}').ids).toEqual(plain);
});

test('heads mark where words begin', () => {
  const { ids, heads } = tokenizer.encode('unaffable days, indeed');
  const words = ids.map((id, i) => (heads[i] === 1 ? vocabulary.get(id) : '+'));
  expect(words).toEqual(['una', '+', '+', 'days', ',', 'indeed']);
});

test('a megabyte in slices is the same as a megabyte at once', async () => {
  for (const unit of ['lorem ipsum dolor-sit é 漢字 ', 'x', '.', 'a\u0301', 'z\u200b']) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const [sliced] = await tokenizer.encodeAll([text]);
    const whole = tokenizer.encode(text);
    expect(sliced!.ids.length).toBe(whole.ids.length);
    expect(
      Buffer.from(Int32Array.from(sliced!.ids).buffer).equals(Buffer.from(Int32Array.from(whole.ids).buffer)),
    ).toBe(true);
    expect(whole.ends.at(-1)! <= text.length).toBe(true);
  }
});

test('a long text lets the event loop run', async () => {
  let turns = 0;
  let running = true;
  const count = (): void => {
    turns += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await tokenizer.encodeAll(['word '.repeat(200_000)]);
  running = false;
  expect(turns).toBeGreaterThan(10);
});

test('a caller that goes away during a long text is told so', async () => {
  const controller = new AbortController();
  const result = tokenizer.encodeAll(['word '.repeat(200_000)], controller.signal);
  controller.abort();
  await expect(result).rejects.toMatchObject({ code: 'ABORTED' });
});

test('another kind of tokenizer is refused', () => {
  expect(() => new Tokenizer({ ...file, normalizer: { type: 'NFC' } })).toThrow();
  expect(() => new Tokenizer({ ...file, model: { ...file.model, vocab: { a: 1 } } })).toThrow(/\[CLS\]/);
});
