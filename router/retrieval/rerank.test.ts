import { expect, test } from 'vitest';
import { Ledger } from '../budget/index.ts';
import { affordable, pairFor } from './rerank.ts';
import { indexOf } from './testing/small-index.ts';

const index = indexOf([
  { text: 'one two three', title: 'The harbour of Aldmere > Opening hours > In winter' },
  { text: 'four five', title: 'Gulls' },
  { text: 'six' },
]);
const candidates = [0, 1, 2].map((ordinal) => ({
  ordinal,
  lexical: 1,
  dense: 1,
  genre: 'narrative' as const,
  fused: 1,
  branchScores: {},
}));

function pool(titleTokens: number) {
  const info = { threads: 1, requestedProvider: 'cpu', provider: 'cpu', models: {}, titleTokens } as const;
  return { info, countTokens: (text: string) => text.split(/\s+/).filter((word) => word !== '').length };
}

function spentOn(titleTokens: number, contextTokens: number) {
  const ledger = new Ledger({ docsScored: 0, rerankPairs: 9, nliPairs: 0, contextTokens, ms: null });
  const lease = ledger.lease('judge', { rerankPairs: 9, contextTokens });
  const chosen = affordable(index, candidates, lease, pool(titleTokens)).map(({ ordinal }) => ordinal);
  lease.close();
  return { chosen, spent: ledger.receipt().spent };
}

test('the cross-encoder is given what names the document, without the headings', () => {
  expect(pairFor(index, 'When?', candidates[0]!)).toEqual({
    query: 'When?',
    passage: 'one two three',
    title: 'The harbour of Aldmere',
  });
  expect(pairFor(index, 'When?', candidates[2]!).title).toBe('');
});

test('context tokens are those of the passages, and of the titles where the reader takes them', () => {
  expect(spentOn(0, 100)).toMatchObject({ chosen: [0, 1, 2], spent: { rerankPairs: 3, contextTokens: 6 } });
  expect(spentOn(24, 100)).toMatchObject({ chosen: [0, 1, 2], spent: { contextTokens: 6 + 4 + 1 } });
  expect(spentOn(2, 100)).toMatchObject({ chosen: [0, 1, 2], spent: { contextTokens: 6 + 2 + 1 } });
});

test('nothing is read behind the first that does not fit', () => {
  expect(spentOn(24, 8)).toMatchObject({ chosen: [0], spent: { rerankPairs: 1, contextTokens: 7 } });
  expect(spentOn(24, 6)).toMatchObject({ chosen: [], spent: { rerankPairs: 0, contextTokens: 0 } });
});
