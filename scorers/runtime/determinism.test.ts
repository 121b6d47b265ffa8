import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PremiseHypothesis, QueryPassage, Scorers } from '../types.ts';
import { openScorers } from './open.ts';

const DOCUMENTS = fileURLToPath(new URL('../../router/demo/documents', import.meta.url));
const QUERIES = fileURLToPath(new URL('../../router/demo/queries.ndjson', import.meta.url));

/** A Lehmer generator: the same order in every run. */
let state = 20_240_229;
function chance(bound: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % bound;
}
const oneOf = <T>(items: readonly T[]): T => items[chance(items.length)]!;

const texts = readdirSync(DOCUMENTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(md|txt)$/.test(name))
  .map((name) => readFileSync(join(DOCUMENTS, name), 'utf8'));
const sentences = [
  ...new Set(
    texts
      .flatMap((text) => [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)])
      .map(({ segment }) => segment.trim())
      .filter(({ length }) => length > 20 && length < 140),
  ),
];
const questions = readFileSync(QUERIES, 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { query: string }).query);
const made = (i: number): string =>
  `Station ${i} sent ${i * 7} readings on day ${(i % 28) + 1} of the month.`;

/** Different from each other: what is the same is computed once, and would prove nothing. */
function distinct<T extends object>(count: number, make: (i: number) => T): T[] {
  const found = new Map<string, T>();
  for (let i = 0; found.size < count; i += 1) {
    const item = make(i);
    found.set(JSON.stringify(item), item);
  }
  return [...found.values()];
}
const passage = (i: number): string => {
  if (i % 50 === 0) return oneOf(texts);
  return i % 5 === 0 ? made(i) : oneOf(sentences);
};
const asked: QueryPassage[] = distinct(400, (i) => ({ query: oneOf(questions), passage: passage(i) }));
const claims: PremiseHypothesis[] = distinct(200, (i) => ({
  premise: oneOf(sentences),
  hypothesis: i % 5 === 0 ? made(i) : oneOf(sentences),
}));

let pools: [Scorers, Scorers];
beforeAll(async () => {
  pools = await Promise.all([openScorers({ threads: 2 }), openScorers({ threads: 3 })]);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

/** Scores in calls of 1 to 40 items in another order, 1 to 16 calls at a time; on 3 threads, not 2. */
async function inOtherCompany<T, R>(items: readonly T[], score: (some: T[]) => Promise<R[]>): Promise<R[]> {
  const order = items.map((_, place) => place);
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = chance(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const found: R[] = new Array(items.length);
  while (order.length > 0) {
    const window = Array.from({ length: 1 + chance(16) }, () => order.splice(0, 1 + chance(40)));
    await Promise.all(
      window.map(async (places) => {
        const results = await score(places.map((place) => items[place]!));
        for (const [i, place] of places.entries()) found[place] = results[i]!;
      }),
    );
  }
  return found;
}

test('400 questions with a passage get the same scores to the last bit in any company', async () => {
  const [all, other] = pools;
  const expected = await Promise.all([all.rerank(asked), all.read(asked)]);
  expect(new Set(expected[0].map(({ logit }) => logit)).size).toBeGreaterThan(300);
  const found = await Promise.all([
    inOtherCompany(asked, (some) => other.rerank(some)),
    inOtherCompany(asked, (some) => other.read(some)),
  ]);
  expect(found).toEqual(expected);
});

test('200 claims and 100 texts do so too', async () => {
  const [all, other] = pools;
  const texts = sentences.slice(0, 100);
  const expected = await Promise.all([all.nli(claims), all.embed(texts)]);
  expect(new Set(expected[0].map(({ entailment }) => entailment)).size).toBeGreaterThan(170);
  const found = await Promise.all([
    inOtherCompany(claims, (some) => other.nli(some)),
    inOtherCompany(texts, (some) => other.embed(some)),
  ]);
  expect(found).toEqual(expected);
});

/** Sums of the scores below; they change with a model, and with nothing else where sums are exact. */
const EVERYWHERE = '34d967a651bc2dd9f49ae574d63fa6a7e7e9068a9fcddce5e20a222258dd2c5a';

test('scores are these to the last bit on every processor whose sums are exact', async () => {
  const [pool] = pools;
  const lines = Array.from({ length: 24 }, (_, i) => made(i * 5));
  const pairs = lines.map((line, i) => ({
    query: `How many readings did station ${i * 5} send?`,
    passage: lines.slice(0, 1 + (i % 9)).join(' ') + line,
  }));
  const claims = lines.map((premise, i) => ({ premise, hypothesis: made((i % 7) * 5) }));
  const [relevant, read, judged, embedded] = await Promise.all([
    pool.rerank(pairs),
    pool.read(pairs),
    pool.nli(claims),
    pool.embed(pairs.map(({ passage }) => passage)),
  ]);
  const numbers = [
    ...relevant.map(({ logit }) => logit),
    ...read.flatMap(({ best, margin }) => [best?.start ?? -1, best?.end ?? -1, margin]),
    ...judged.flatMap(({ entailment, neutral, contradiction }) => [entailment, neutral, contradiction]),
    ...embedded.flatMap((vector) => [...vector]),
  ];
  expect(numbers.filter(Number.isFinite).length).toBe(24 * (1 + 3 + 3 + 384));
  // Of another arithmetic nothing is promised.
  const hash = createHash('sha256').update(new Float64Array(numbers)).digest('hex');
  if (pool.info.arithmetic === 'exact') expect(hash).toBe(EVERYWHERE);
});
