import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScorers, type Scorers } from '../index.ts';
import { CROSS, modelsDir, remove } from './testing/models-dir.ts';

const PAIR = { query: 'How high is it?', passage: 'It is 70 metres high.' };
const TITLED = { query: 20, title: 6 };

const dir = modelsDir((lock) => {
  lock.models[CROSS].titled = TITLED;
});
const plainDir = modelsDir((lock) => {
  delete lock.models[CROSS].titled;
  for (const job of ['rerank', 'read']) {
    const own = lock.models[CROSS].jobs[job];
    own.known = own.known.filter((pair: { title?: string }) => pair.title === undefined);
  }
});
let plain: Scorers;
let titled: Scorers;
beforeAll(async () => {
  const options = { threads: 1, jobs: ['rerank', 'read'] } as const;
  [plain, titled] = await Promise.all([
    openScorers({ ...options, modelsDir: plainDir }),
    openScorers({ ...options, modelsDir: dir }),
  ]);
});
afterAll(async () => {
  await Promise.all([plain.close(), titled.close()]);
  for (const folder of [dir, plainDir]) remove(folder);
});

test('a model that takes no titles leaves them out', async () => {
  expect(plain.info.titleTokens).toBe(0);
  const named = { ...PAIR, title: 'The tower of Aldmere' };
  expect(await plain.read([named])).toEqual(await plain.read([PAIR]));
  expect(await plain.rerank([named])).toEqual(await plain.rerank([PAIR]));
});

test('a model that takes titles reads them, and offsets stay those of the passage', async () => {
  expect(titled.info.titleTokens).toBe(TITLED.title);
  const pairs = [PAIR, { ...PAIR, title: '' }, { ...PAIR, title: 'The tower of Aldmere' }];
  const [none, empty, named] = await titled.rerank(pairs);
  expect(empty).toEqual(none);
  expect(none).toEqual((await plain.rerank([PAIR]))[0]);
  expect(named!.logit).not.toBe(none!.logit);
  expect(named!.tokens).toBe(none!.tokens + titled.countTokens('The tower of Aldmere'));
  const readings = await titled.read(pairs);
  for (const { best } of readings) expect(best!.text).toBe(PAIR.passage.slice(best!.start, best!.end));
  expect(readings[2]!.best!.text).toContain('70');
});

test('a heading is read before the passage, and is no part of what is found', async () => {
  const headed = { ...PAIR, query: 'How high is the lighthouse?', heading: 'The lighthouse:' };
  const { heading, ...bare } = headed;
  const [[without, withIt], [read]] = await Promise.all([
    titled.rerank([bare, headed]),
    titled.read([headed]),
  ]);
  expect(withIt!.logit).toBeGreaterThan(without!.logit);
  expect(withIt!.tokens).toBe(without!.tokens + titled.countTokens(heading));
  for (const span of [read!.best!, ...read!.alternatives]) {
    expect(span.text).toBe(bare.passage.slice(span.start, span.end));
  }
  expect(await plain.read([headed])).toEqual(await plain.read([bare]));
});

test('word pieces that a title or a question has too many of are counted', async () => {
  const [score] = await titled.rerank([{ ...PAIR, query: 'why '.repeat(30), title: 'tower '.repeat(9) }]);
  expect(score!.truncatedTokens).toBe(10 + 3);
  expect(score!.tokens).toBe(TITLED.query + TITLED.title + titled.countTokens(PAIR.passage));
});

test('a model that would leave a passage less than half of a sequence is refused', async () => {
  const wrong = modelsDir((lock) => {
    lock.models[CROSS].titled = { query: 140, title: 24 };
  });
  await expect(openScorers({ modelsDir: wrong, jobs: ['read'] })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining('must leave half'),
  });
  remove(wrong);
});

test('a known pair may have a title', async () => {
  const known = { query: 'How high is it?', title: 'Tower', passage: 'It is 70 metres high.' };
  const folder = (answer: string) =>
    modelsDir((lock) => {
      lock.models[CROSS].titled = TITLED;
      lock.models[CROSS].jobs.read.known[2] = { ...known, answer };
    });
  const [right, wrong] = [folder('70 metres high'), folder('Tower')];
  await openScorers({ modelsDir: right, threads: 1, jobs: ['read'] }).then((scorers) => scorers.close());
  await expect(openScorers({ modelsDir: wrong, threads: 1, jobs: ['read'] })).rejects.toMatchObject({
    message: expect.stringContaining('known pairs come out wrong: read'),
  });
  for (const dir of [right, wrong]) remove(dir);
});
