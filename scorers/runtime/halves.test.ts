import { createHash } from 'node:crypto';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openScorers, type Scorers, type ScorersOptions } from '../index.ts';
import { Engine } from './engine.ts';
import { apart, type KnownScores } from './known-pairs.ts';
import { loadModels } from './load.ts';
import { Pool } from './pool.ts';
import { type AnyLock, CROSS, modelsDir, remove } from './testing/models-dir.ts';
import { halves } from './testing/onnx.ts';
import { threadUrl } from './thread-url.ts';

const { lower, upper } = halves();
const LOWER = `${CROSS}/lower.onnx`;
const UPPER = `${CROSS}/upper.onnx`;
/** The prototype itself, under another name. */
const WHOLE = 'whole';
const locked = (path: string, bytes: Uint8Array) => ({
  path,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

const dirs: string[] = [];
/** The prototype's place in the lock file, taken by a reader in halves: its answer is the word with the largest id. */
function folder(change: (entry: AnyLock) => void = () => {}, files: Record<string, Uint8Array> = {}): string {
  const dir = modelsDir(
    (lock) => {
      lock.models[WHOLE] = structuredClone(lock.models[CROSS]);
      const entry = lock.models[CROSS];
      entry.weights = locked(LOWER, lower);
      entry.upper = { ...locked(UPPER, upper), hidden: 'hidden', width: 1, keep: 2 };
      const query = 'what';
      entry.jobs = {
        rerank: {
          output: 'relevance',
          early: 'early',
          known: ['cat', 'dog', 'tree'].map((better) => ({ query, better, worse: 'a' })),
        },
        read: {
          start: 'start',
          end: 'end',
          known: [
            { query, passage: 'the cat sat', answer: 'cat' },
            { query, passage: 'a dog ran', answer: 'dog' },
            { query, passage: 'one tree fell', answer: 'tree' },
          ],
        },
      };
      change(entry);
    },
    { [LOWER]: lower, [UPPER]: upper, ...files },
  );
  dirs.push(dir);
  return dir;
}
afterAll(() => {
  for (const dir of dirs) remove(dir);
});

const JOBS = ['rerank', 'read'] as const;
const open: Scorers[] = [];
async function opened(options: ScorersOptions): Promise<Scorers> {
  const scorers = await openScorers({ threads: 1, jobs: JOBS, ...options });
  open.push(scorers);
  return scorers;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((scorers) => scorers.close()));
});

const PAIRS = ['the cat sat', 'a dog ran', '', 'one tree fell. '.repeat(200)].map((passage) => ({
  query: 'what',
  passage,
}));

test('the lower half looks, the upper half reads on', async () => {
  const scorers = await opened({ modelsDir: folder() });
  expect(scorers.info.keep).toBe(2);
  const early = await scorers.early(PAIRS);
  const [cat] = await scorers.read(PAIRS);
  expect(cat!.best!.text).toBe('cat');
  expect(early[0]!.logit).toBeCloseTo(Math.log(cat!.best!.score / 2), 5);
  const relevance = await scorers.rerank(PAIRS);
  for (const [i, one] of relevance.entries()) {
    expect(one.logit).toBeGreaterThan(early[i]!.logit);
    expect([one.tokens, one.truncatedTokens]).toEqual([early[i]!.tokens, early[i]!.truncatedTokens]);
  }
});

test('with a first look or without, alone or together, on one thread or three: the same', async () => {
  const dir = folder();
  const [one, three] = await Promise.all([
    opened({ modelsDir: dir }),
    opened({ modelsDir: dir, threads: 3 }),
  ]);
  const copies = () => PAIRS.map((pair) => ({ ...pair }));
  const alone = await Promise.all(copies().map(async (pair) => (await one.read([pair]))[0]));
  const looked = copies();
  await three.early(looked.toReversed());
  const [readings, relevances] = await Promise.all([three.read(looked), three.rerank(looked)]);
  expect(readings).toEqual(alone);
  expect(relevances).toEqual(await one.rerank(copies()));
});

test('what was looked at is not looked at again', async () => {
  const models = await loadModels(folder(), JOBS, {});
  const runs: string[] = [];
  class Counting extends Pool {
    override run(...call: Parameters<Pool['run']>) {
      runs.push(`${call[0].replace(CROSS, 'lower').replace('lower/', '')}: ${call[1].length}`);
      return super.run(...call);
    }
  }
  const graphs = models.flatMap((model) => model.graphs);
  const pool = new Counting({ provider: 'cpu' }, Promise.resolve(graphs), threadUrl());
  await pool.grow();
  const engine = new Engine(
    models.map(({ ready }) => ready),
    pool,
  );
  const pairs = PAIRS.slice(0, 3);
  await engine.early(pairs);
  await engine.read([pairs[2]!, pairs[0]!]);
  await engine.read([pairs[1]!, { ...pairs[1]! }]);
  await pool.close();
  expect(runs).toEqual(['lower: 3', 'lower: 0', 'upper: 2', 'lower: 1', 'upper: 2']);
});

test('close lets a reading finish, through both halves', async () => {
  const scorers = await opened({ modelsDir: folder() });
  const readings = scorers.read(PAIRS);
  await scorers.close();
  expect((await readings)[0]!.best!.text).toBe('cat');
});

test('a first look that is upside down is refused, whatever the upper half says', async () => {
  const inverted = halves('Neg').lower;
  const dir = folder((entry) => Object.assign(entry, { weights: locked(LOWER, inverted) }), {
    [LOWER]: inverted,
  });
  await expect(opened({ modelsDir: dir })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining('rerank: for "what" it at first prefers "a" to "cat"'),
  });
});

test('a first look that another provider gets otherwise is seen', () => {
  const scores = (logit: number): KnownScores => ({
    embed: [],
    rerank: [],
    early: [{ score: 0.5, logit, tokens: 1, truncatedTokens: 0 }],
    read: [],
    nli: [],
  });
  expect(apart(scores(1), scores(1.05))).toBeNull();
  expect(apart(scores(1), scores(1.2))).toContain('an early relevance logit is 0.20 off');
});

test('a first look is worth nothing to another model that reads or re-ranks', async () => {
  const modelsDir = folder();
  const mixed = await opened({ modelsDir, models: { read: WHOLE } });
  expect(mixed.info.keep).toBeNull();
  expect((await opened({ modelsDir, models: { rerank: WHOLE } })).info.keep).toBeNull();
  expect((await opened({ modelsDir, jobs: ['read'] })).info.keep).toBeNull();
  const pairs = PAIRS.map((pair) => ({ ...pair }));
  await mixed.early(pairs);
  expect(await mixed.read(pairs)).toEqual(await mixed.read(PAIRS));
});

test('a model that is whole has no first look', async () => {
  const scorers = await opened({});
  expect(scorers.info.keep).toBeNull();
  await expect(scorers.early(PAIRS)).rejects.toMatchObject({ code: 'CONFIGURATION' });
});

test('both files tell which model it was', async () => {
  const [first, second] = [folder(), folder((entry) => Object.assign(entry, { weights: entry.weights }))];
  const other = Buffer.concat([upper, Buffer.from([0x32, 0x01, 0x78])]);
  const changed = folder((entry) => Object.assign(entry.upper, locked(UPPER, other)), { [UPPER]: other });
  const hashes = await Promise.all(
    [first, second, changed].map(async (modelsDir) => (await opened({ modelsDir })).info.models.read!.sha256),
  );
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

test.each([
  ['an upper half that is another file', () => folder(() => {}, { [UPPER]: lower }), 'upper.onnx'],
  ['states of another width', () => folder((entry) => Object.assign(entry.upper, { width: 2 })), 'hidden'],
  ['states of another name', () => folder((entry) => Object.assign(entry.upper, { hidden: 'x' })), 'outputs'],
  ['halves in batches', () => folder((entry) => Object.assign(entry, { batching: 'stacked' })), 'run single'],
  [
    'a lower half without a first look',
    () => folder((entry) => delete entry.jobs.rerank.early),
    'early relevance',
  ],
])('%s is refused', async (_, dir, words) => {
  await expect(opened({ modelsDir: dir() })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    message: expect.stringContaining(words),
  });
});
