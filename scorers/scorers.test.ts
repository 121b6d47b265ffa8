import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScorers, type QueryPassage, type Scorers } from './index.ts';
import { CROSS, modelsDir, remove } from './runtime/testing/models-dir.ts';

let one: Scorers;
let three: Scorers;
beforeAll(async () => {
  [one, three] = await Promise.all([openScorers({ threads: 1 }), openScorers({ threads: 3 })]);
});
afterAll(async () => {
  await Promise.all([one.close(), three.close()]);
});

const SUBJECTS = ['The bridge', 'A harbour', 'Our library', 'The old mill', 'Maria Lopez', 'The committee'];
const VERBS = ['was opened', 'closed its doors', 'received a prize', 'burned down', 'moved north'];
const TAILS = [
  'in 1932',
  'after a long dispute over 1,200 crowns',
  'because of the flood, which nobody had expected',
];
const QUESTIONS = ['When was the bridge opened?', 'Why did it burn down?', 'Who received a prize?', 'What?'];

/** Pairs of many lengths, the same every time. */
function pairs(count: number): QueryPassage[] {
  return Array.from({ length: count }, (_, i) => {
    const sentence = `${SUBJECTS[i % 6]} ${VERBS[i % 5]} ${TAILS[i % 3]} (${i}).`;
    return {
      query: QUESTIONS[i % 4]!,
      passage: Array.from({ length: 1 + (i % 7) }, () => sentence).join(' '),
    };
  });
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item, i) => [(i * 7919) % 1009, item] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, item]) => item);
}

const bytes = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

describe('scores do not depend on what shared the batch', () => {
  const all = pairs(120);

  test('pairs: alone, all at once, in another order, on other threads', async () => {
    const key = ({ query, passage }: QueryPassage) => `${query}\n${passage}`;
    const together = await three.rerank(all);
    const expected = new Map(all.map((pair, i) => [key(pair), together[i]!.logit]));
    expect(expected.size).toBe(120);
    const mixed = shuffled(all);
    const inOrder = await one.rerank(mixed);
    mixed.forEach((pair, i) => {
      expect(inOrder[i]!.logit).toBe(expected.get(key(pair)));
    });
    for (const pair of all.slice(0, 30))
      expect((await one.rerank([pair]))[0]!.logit).toBe(expected.get(key(pair)));
    // In company of other jobs, models and callers.
    const [some, read] = await Promise.all([
      three.rerank(all.slice(80, 120)),
      three.read(all.slice(80, 120)),
      three.nli(all.slice(0, 40).map(({ query, passage }) => ({ premise: passage, hypothesis: query }))),
      three.embed(all.slice(0, 40).map(({ passage }) => passage)),
    ]);
    some.forEach((result, i) => {
      expect(result.logit).toBe(together[80 + i]!.logit);
    });
    expect(await one.read(all.slice(80, 120))).toEqual(read);
  });

  test('vectors', async () => {
    const texts = all.slice(0, 40).map(({ passage }) => passage);
    const together = (await three.embed(texts)).map(bytes);
    expect((await one.embed([...texts].reverse())).map(bytes).reverse()).toEqual(together);
    for (let i = 0; i < 20; i += 1) expect(bytes((await three.embed([texts[i]!]))[0]!)).toBe(together[i]);
  });

  test('stacked batches, which the lock file can ask for, do move the scores of these weights', async () => {
    const dir = modelsDir((lock) => {
      lock.models[CROSS].batching = 'stacked';
    });
    const stacked = await openScorers({ modelsDir: dir, threads: 1, jobs: ['rerank'] });
    try {
      const single = await one.rerank(all.slice(0, 64));
      const moved = (await stacked.rerank(all.slice(0, 64))).map((r, i) =>
        Math.abs(r.logit - single[i]!.logit),
      );
      // Near enough to be the same model, far enough to be the reason for `single`.
      expect(Math.max(...moved)).toBeGreaterThan(0);
      expect(Math.max(...moved)).toBeLessThan(1.5);
    } finally {
      await stacked.close();
      remove(dir);
    }
  });
});

test('the event loop turns while the models run', async () => {
  let turns = 0;
  let running = true;
  const count = (): void => {
    turns += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await one.rerank(pairs(8).map(({ query, passage }) => ({ query, passage: `${passage} Turning.` })));
  running = false;
  // On the caller's thread there would be a turn a batch, that is, fewer than a dozen.
  expect(turns).toBeGreaterThan(100);
});

test("vectors have length one and the embedder's dimension, also for nothing", async () => {
  const vectors = await one.embed(['', 'a', '\u200b', 'word '.repeat(1000)]);
  for (const vector of vectors) {
    expect(vector).toHaveLength(384);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  }
  expect(await one.embed([])).toEqual([]);
});

test('entailment sums to one and knows its labels', async () => {
  const results = await one.nli([
    { premise: 'All seven boats came back before the storm.', hypothesis: 'The boats returned.' },
    { premise: 'All seven boats came back before the storm.', hypothesis: 'No boat came back.' },
    { premise: '', hypothesis: '' },
  ]);
  for (const { entailment, neutral, contradiction } of results) {
    expect(entailment + neutral + contradiction).toBeCloseTo(1, 10);
  }
  const [same, opposite] = results;
  expect(same!.entailment).toBeGreaterThan(Math.max(same!.neutral, same!.contradiction));
  expect(opposite!.contradiction).toBeGreaterThan(Math.max(opposite!.neutral, opposite!.entailment));
});

test('an answer is a slice of the passage as it was given', async () => {
  const passage =
    'Zoë\u0301 😀 paid\u00a01,234.50 crowns [SEP] for the "Café\u0301 Ünïon" in\u200b Łódź in 1932.';
  const [price, place, none] = await one.read([
    { query: 'How many crowns were paid?', passage },
    { query: 'In which city is the café?', passage },
    { query: 'Who won the football match?', passage },
  ]);
  expect(price!.best!.text).toContain('1,234.50');
  for (const reading of [price!, place!, none!]) {
    for (const span of [reading.best!, ...reading.alternatives]) {
      expect(passage.slice(span.start, span.end)).toBe(span.text);
    }
    expect(reading.margin).toBe(reading.best!.score - reading.noAnswer);
  }
  expect(none!.margin).toBeLessThan(Math.min(price!.margin, place!.margin));
});

test('empty texts are read without an answer', async () => {
  const readings = await one.read([
    { query: '', passage: '' },
    { query: 'Who?', passage: ' \u200b\n' },
  ]);
  for (const reading of readings)
    expect(reading).toMatchObject({ best: null, alternatives: [], margin: -100 });
  const scores = await one.rerank([{ query: '', passage: '' }]);
  expect(Number.isFinite(scores[0]!.logit)).toBe(true);
});

test('[SEP] in a passage cannot add a second segment', async () => {
  const honest = 'The pump costs 40 crowns.';
  const [plain, tricky, spaced] = await one.rerank([
    { query: 'How much is the pump?', passage: `${honest} sep` },
    { query: 'How much is the pump?', passage: `${honest} [SEP]` },
    { query: 'How much is the pump?', passage: `${honest} [ SEP ]` },
  ]);
  expect(tricky).toEqual(spaced);
  expect(tricky!.tokens).toBe(plain!.tokens + 2);
});

test('a megabyte on one line is windowed and its rest counted', async () => {
  const text = `The tower is 70 metres high. ${'Nothing else is said here at all. '.repeat(30_000)}`;
  const total = one.countTokens(text);
  const [relevance] = await one.rerank([{ query: 'How high is the tower?', passage: text }]);
  expect(relevance!.tokens + relevance!.truncatedTokens).toBe(
    total + one.countTokens('How high is the tower?'),
  );
  expect(relevance!.truncatedTokens).toBeGreaterThan(200_000);
  expect(relevance!.score).toBeGreaterThan(0.5);
  const [reading] = await one.read([{ query: 'How high is the tower?', passage: text }]);
  expect(reading!.best!.text).toContain('70');
  const [verdict] = await one.nli([{ premise: text, hypothesis: 'The tower is 70 metres high.' }]);
  expect(verdict!.truncatedTokens).toBeGreaterThan(200_000);
  const query = await one.rerank([{ query: text, passage: text }]);
  expect(query[0]!.truncatedTokens).toBeGreaterThan(400_000);
  expect(await one.embed([text])).toHaveLength(1);
});

test('what stands in a later window is found', async () => {
  const filler = 'The committee met again and talked about the colour of the curtains. '.repeat(45);
  const [reading] = await one.read([
    { query: 'How high is the tower?', passage: `${filler}The tower is 70 metres high. ${filler}` },
  ]);
  expect(reading!.best!.text).toContain('70');
  expect(reading!.truncatedTokens).toBe(0);
});

test('callers that cancel or run out of time are told; others get their scores', async () => {
  const controller = new AbortController();
  const many = pairs(120).map(({ query, passage }) => ({ query, passage: `${passage} Later.` }));
  const cancelled = expect(three.rerank(many, { signal: controller.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  });
  const late = expect(three.read(many, { deadline: Date.now() + 40 })).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
  });
  setTimeout(() => controller.abort(), 20);
  const other = await three.rerank(many.slice(0, 3));
  expect(other).toHaveLength(3);
  await Promise.all([cancelled, late]);
});
