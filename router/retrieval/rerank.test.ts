import { expect, test } from 'vitest';
import type { QueryPassage, Relevance } from '../../scorers/index.ts';
import { Ledger } from '../budget/index.ts';
import { FUSED_WEIGHT, rankLogit } from './rank-logit.ts';
import { rerankedOrder, selected } from './rerank.ts';
import { backendOf } from './testing/small-index.ts';

const index = backendOf([
  { text: 'one two three', title: 'The harbour of Aldmere > Opening hours > In winter' },
  { text: 'four five', title: 'Gulls' },
  { text: 'six' },
  { text: 'seven eight', title: 'Birds > 2.1 seven' },
]);
const candidates = (await index.passages([0, 1, 2, 3])).map((indexed) => ({
  ordinal: indexed.ordinal,
  indexed,
  lexical: 1,
  dense: 1,
  genre: 'narrative' as const,
  fused: 1,
  branchScores: {},
}));

const relevance = (logit: number): Relevance => ({
  score: 1 / (1 + Math.exp(-logit)),
  logit,
  tokens: 1,
  truncatedTokens: 0,
});

/** A pool whose first look sees how long a passage is. */
function pool(titleTokens: number, keep: number | null = null) {
  const asked: QueryPassage[] = [];
  const models = {};
  return {
    asked,
    info: {
      threads: 1,
      requestedProvider: 'cpu',
      provider: 'cpu',
      arithmetic: 'exact',
      widened: false,
      models,
      titleTokens,
      keep,
    } as const,
    countTokens: (text: string) => text.split(/\s+/).filter((word) => word !== '').length,
    early: async (pairs: readonly QueryPassage[]) => {
      asked.push(...pairs);
      return pairs.map(({ passage }) => relevance(passage.length));
    },
  };
}

async function select(scorers: ReturnType<typeof pool>, rerankPairs: number, contextTokens: number) {
  const ledger = new Ledger({ docsScored: 0, rerankPairs: 9, nliPairs: 0, contextTokens: 99, ms: null });
  const lease = ledger.lease('judge', { rerankPairs, contextTokens });
  const { chosen, early } = await selected('When?', candidates, lease, scorers);
  lease.close();
  return {
    read: chosen.map(({ candidate }) => candidate.ordinal),
    pairs: chosen.map(({ pair }) => pair),
    looked: [...early.keys()],
    spent: ledger.receipt().spent,
  };
}

test('the cross-encoder is given what names the document, and the innermost heading', async () => {
  const { pairs } = await select(pool(0), 4, 99);
  const heading = 'In winter:';
  expect(pairs[0]).toEqual({
    query: 'When?',
    passage: 'one two three',
    title: 'The harbour of Aldmere',
    heading,
  });
  expect(pairs[1]).toMatchObject({ title: 'Gulls', heading: '' });
  expect(pairs[2]).toMatchObject({ title: '', heading: '' });
  expect(pairs[3]!.heading).toBe('');
});

test('context tokens are those of the passages, and of titles and headings where the reader takes them', async () => {
  const spent = async (titleTokens: number) => (await select(pool(titleTokens), 3, 99)).spent;
  expect(await spent(0)).toMatchObject({ rerankPairs: 3, contextTokens: 6 });
  expect(await spent(24)).toMatchObject({ rerankPairs: 3, contextTokens: 6 + (4 + 2) + 1 });
  expect(await spent(2)).toMatchObject({ rerankPairs: 3, contextTokens: 6 + (2 + 2) + 1 });
});

test('nothing is read behind the first that does not fit', async () => {
  expect(await select(pool(24), 4, 10)).toMatchObject({
    read: [0],
    spent: { rerankPairs: 1, contextTokens: 9 },
  });
  expect(await select(pool(24), 4, 8)).toMatchObject({
    read: [],
    spent: { rerankPairs: 0, contextTokens: 0 },
  });
});

test('where there is a first look, the best of all that it saw are read', async () => {
  const scorers = pool(0, 2);
  const { read, looked, spent } = await select(scorers, 4, 99);
  expect([read, looked]).toEqual([
    [0, 3],
    [0, 1, 2, 3],
  ]);
  expect(spent).toMatchObject({ rerankPairs: 4, contextTokens: 3 + 2 });
  expect(scorers.asked).toHaveLength(4);
});

test('a first look keeps to what the lease pays for', async () => {
  expect(await select(pool(0, 9), 2, 99)).toMatchObject({
    read: [0, 1],
    looked: [0, 1],
    spent: { rerankPairs: 2 },
  });
  expect(await select(pool(0, 9), 4, 4)).toMatchObject({
    read: [0],
    spent: { rerankPairs: 4, contextTokens: 3 },
  });
  expect(await select(pool(0, 9), 0, 99)).toMatchObject({ read: [], looked: [], spent: { rerankPairs: 0 } });
});

test('the order is that of the readings, then of the first look, then of fusion', () => {
  const item = (name: string, read: number | null, looked: number | null, fused = 0.5) => ({
    name,
    candidate: { fused },
    relevance: read === null ? null : relevance(read),
    early: looked === null ? null : relevance(looked),
  });
  const items = [
    item('rest', null, null, 0.9),
    item('looked at, less', null, 1),
    item('looked at, more', null, 2),
    item('read, less', -3, 3),
    item('read, more', -2, 4),
    item('read, as much', -2, 0),
    item('rest, too', null, null, 0.1),
  ];
  const order = rerankedOrder(items).map(({ name }) => name);
  expect(order).toEqual([
    'read, more',
    'read, as much',
    'read, less',
    'looked at, more',
    'looked at, less',
    'rest',
    'rest, too',
  ]);
});

test('the fused score counts beside relevance, as much as its weight says', () => {
  const item = (name: string, logit: number, fused: number) => ({
    name,
    candidate: { fused },
    relevance: relevance(logit),
  });
  const worth = 0.2 * FUSED_WEIGHT;
  const order = (better: number) =>
    rerankedOrder([item('by both', 0, 0.7), item('by relevance', better, 0.5)]).map(({ name }) => name);
  expect(order(worth - 0.01)).toEqual(['by both', 'by relevance']);
  expect(order(worth + 0.01)).toEqual(['by relevance', 'by both']);
  expect(rankLogit(relevance(1.5), { fused: 0.5 })).toBe(1.5);
});

test('a first look chooses what is read with the fused score too', async () => {
  const likely = candidates.map((each) => ({ ...each, fused: each.ordinal === 3 ? 1 : 0 }));
  const ledger = new Ledger({ docsScored: 0, rerankPairs: 9, nliPairs: 0, contextTokens: 99, ms: null });
  const lease = ledger.lease('judge', { rerankPairs: 4, contextTokens: 99 });
  const { chosen } = await selected('When?', likely, lease, pool(0, 1));
  lease.close();
  expect(chosen.map(({ candidate }) => candidate.ordinal)).toEqual([3]);
});
