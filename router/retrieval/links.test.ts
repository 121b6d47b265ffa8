import fc from 'fast-check';
import { expect, test } from 'vitest';
import { embeddedBackend } from '../../corpus/index.ts';
import type { QueryPassage, Relevance } from '../../scorers/index.ts';
import { Ledger } from '../budget/index.ts';
import { besideLinks, linksOf } from './links.ts';
import { openRetrieval } from './open.ts';
import { judged, rerankedOrder } from './rerank.ts';
import { indexOf, profileOf, vectorOf } from './testing/small-index.ts';

const QUERY = 'Which office did the star of Kiss and Tell hold?';
const FILM = 'Kiss and Tell is a film of 1945 whose star is Shirley Temple as Corliss Archer.';
const ACTRESS = 'Chief Protocol from 1976.';
/** Passages in the words of the question that name nobody: they fill what the branches hand over. */
const NOISE = Array.from({ length: 140 }, (_, i) => ({
  text: `Which office did the star hold in year ${i}, and which star kept the office?`,
  title: `Almanac Number ${i}`,
}));
const ROWS = [
  ...NOISE,
  { text: FILM, title: 'Kiss and Tell (1945 film)' },
  { text: ACTRESS, title: 'Shirley Temple' },
];
const [FILM_AT, ACTRESS_AT] = [140, 141];

/** All vectors are the same: what is found is found by its words. */
const VECTOR = vectorOf('one');

function indexed(rows: readonly { text: string; title: string }[]) {
  const index = indexOf(rows);
  rows.forEach((_, i) => void index.vectors.set(VECTOR, i * index.dimension));
  const documents = rows.map(({ title }, i) => ({
    docId: `d${i}`,
    title,
    source: 's',
    hash: '',
    first: i,
    passages: 1,
  }));
  return { ...index, documents };
}

const scorers = {
  info: {
    threads: 1,
    requestedProvider: 'cpu',
    provider: 'cpu',
    arithmetic: 'exact',
    widened: false,
    models: {},
    titleTokens: 0,
    keep: null,
  } as const,
  countTokens: (text: string) => text.split(' ').length,
  early: async () => [],
};

const relevance = (logit: number): Relevance => ({
  score: 1 / (1 + Math.exp(-logit)),
  logit,
  tokens: 1,
  truncatedTokens: 0,
});

/** A query by its words, read by a reader that says `logitOf` of a passage. */
async function read(
  rows: readonly { text: string; title: string }[],
  { docsScored = 20, rerankPairs = 10, query = QUERY, logitOf = (_: string): number => -2 } = {},
) {
  const index = indexed(rows);
  const retrieval = openRetrieval(embeddedBackend(index));
  const budget = { docsScored, rerankPairs, nliPairs: 0, contextTokens: 9_999, ms: null };
  const ledger = new Ledger(budget);
  const share = besideLinks(retrieval, budget).docsScored;
  const allocation = profileOf({ lexical: share });
  const request = { query, vector: VECTOR, allocation, ledger };
  const { candidates } = await retrieval.retrieve(request);
  const lease = ledger.lease('judge', { rerankPairs, contextTokens: 9_999 });
  const links = linksOf(retrieval, { request, room: docsScored - share });
  const calls: string[][] = [];
  const all = await judged(
    {
      query,
      lease,
      scorers,
      links,
      read: async (pairs: readonly QueryPassage[]) => {
        calls.push(pairs.map(({ passage }) => passage));
        return pairs.map(({ passage }) => ({ relevance: relevance(logitOf(passage)) }));
      },
    },
    candidates,
  );
  lease.close();
  links?.close();
  const items = all.map(({ said, ...one }) => ({ ...one, relevance: said?.relevance ?? null }));
  const order = rerankedOrder(items).map(({ candidate }) => candidate.ordinal);
  return { calls, order, candidates, spent: ledger.receipt().spent, stages: ledger.receipt().stages };
}

const answering = (passage: string) => (passage === FILM ? 3 : -2);

test('what the best passage names is read in the pairs that are left, and comes right behind it', async () => {
  const { calls, order, candidates, spent } = await read(ROWS, { logitOf: answering });
  expect(candidates.map(({ ordinal }) => ordinal)).not.toContain(ACTRESS_AT);
  expect(calls.map((passages) => passages.length)).toEqual([6, 4]);
  expect(calls[0]).toContain(FILM);
  expect(calls[1]).toContain(ACTRESS);
  expect(order.slice(0, 2)).toEqual([FILM_AT, ACTRESS_AT]);
  expect(spent).toMatchObject({ docsScored: candidates.length + 1, rerankPairs: 10 });
});

test('what a passage beside the point names is hardly lifted', async () => {
  const { order } = await read(ROWS, { logitOf: (passage) => (passage === FILM ? -12 : -2) });
  expect(order.indexOf(ACTRESS_AT)).toBeGreaterThan(5);
});

test('a passage that answers by itself is not held back by what names it', async () => {
  const { order } = await read(ROWS, {
    logitOf: (passage) => (passage === FILM ? 1 : passage === ACTRESS ? 12 : -2),
  });
  expect(order.slice(0, 2)).toEqual([ACTRESS_AT, FILM_AT]);
});

test('what the question names is a candidate whatever the branches found', async () => {
  const noise = NOISE.map(({ text }, i) => ({ text: `${text} Kiss kiss tell tell.`, title: `Almanac ${i}` }));
  const { candidates, order } = await read([
    ...noise,
    { text: 'Nothing here. '.repeat(200), title: 'Kiss and Tell' },
  ]);
  expect(candidates.map(({ ordinal }) => ordinal)).not.toContain(FILM_AT);
  expect(order).toContain(FILM_AT);
  expect(order.indexOf(FILM_AT)).toBeLessThan(10);
});

test('where nothing is named the rest is read only as long as nothing surely answers', async () => {
  const unsure = await read(NOISE);
  expect(unsure.calls.map((passages) => passages.length)).toEqual([6, 4]);
  const sure = await read(NOISE, { logitOf: () => 4 });
  expect(sure.calls.map((passages) => passages.length)).toEqual([6]);
  expect(sure.spent.rerankPairs).toBe(6);
});

test('where documents have no names nothing is looked up', async () => {
  const untitled = await read(ROWS.map(({ text }) => ({ text, title: '' })));
  expect(untitled.calls.flat()).toHaveLength(10);
  expect(untitled.spent.docsScored).toBe(20);
  expect(untitled.stages.map(({ stage }) => stage)).not.toContain('links');
});

test('spending stays within the budget, whatever it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 30 }), fc.nat({ max: 12 }), async (docsScored, rerankPairs) => {
      const { spent, calls } = await read(ROWS, { docsScored, rerankPairs, logitOf: answering });
      expect(spent.docsScored).toBeLessThanOrEqual(docsScored);
      expect(spent.rerankPairs).toBeLessThanOrEqual(rerankPairs);
      const passages = calls.flat();
      expect(new Set(passages).size).toBe(passages.length);
    }),
    { numRuns: 40 },
  );
});
