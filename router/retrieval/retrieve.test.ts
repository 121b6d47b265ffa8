import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedBackend } from '../../corpus/index.ts';
import { BRANCHES, type BranchName } from '../../profiles/index.ts';
import { Ledger } from '../budget/index.ts';
import type { Filters } from '../contracts.ts';
import { openRetrieval } from './open.ts';
import { runBranches } from './run-branches.ts';
import { backendOf, indexOf, profileOf, vectorOf } from './testing/small-index.ts';
import type { RetrievalRequest } from './types.ts';

const ROWS = [
  'A valve is a device that controls the flow of water.',
  'The valve broke because the water froze in January.',
  'To replace the valve: first close the tap, then open the lid.',
  'The valve weighs 12 kg and cost $40 in 1998.',
  'Rivers and lakes hold fresh water.',
  '東京都の水道は古い。',
  'Ship it 🚀 today, __proto__ and constructor included.',
  { text: 'Ticket ADR-0012 was closed.', docId: 'adr', source: 'tickets', genre: 'steps' as const },
  { text: 'Ticket ADR-0013 was opened.', docId: 'adr', source: 'tickets', genre: 'definition' as const },
];
const index = indexOf(ROWS);
const backend = embeddedBackend(index);
const retrieval = openRetrieval(backend);

function budgetOf(docsScored: number) {
  return { docsScored, rerankPairs: 0, nliPairs: 0, contextTokens: 0, ms: null };
}

async function hitsOf(name: BranchName, query: string, filters?: Filters, k = 20): Promise<number[]> {
  const lease = new Ledger(budgetOf(k)).lease(name, { docsScored: k });
  const hits = await retrieval.find(name, { query, vector: vectorOf(query), filters, lease });
  expect(lease.left('docsScored')).toBe(k - hits.length);
  return hits.map(({ ordinal }) => ordinal);
}

function requestOf(
  query: string,
  branches: Partial<Record<BranchName, number>>,
  budget = 60,
  rest = {},
): RetrievalRequest {
  const allocation = profileOf(branches, rest);
  return { query, vector: vectorOf(query), allocation, ledger: new Ledger(budgetOf(budget)) };
}

describe('the lexical branch, through Orama', () => {
  it.each<[string, string, number[]]>([
    ['an identifier', 'ADR-0012', [7, 8]],
    ['Chinese characters', '水道', [5]],
    ['an emoji', '🚀', [6]],
    ['an inherited name', '__proto__', [6]],
    ['another', 'constructor', [6]],
    ['an unknown word', 'xylophone', []],
    ['nothing', '', []],
    ['white space and invisible characters', ' \n\u200b', []],
    ['function words only', 'and the', [3, 0, 1, 2, 4, 6]],
  ])('finds by %s', async (_, query, expected) => {
    const found = await hitsOf('lexical', query);
    expect([...found].sort()).toEqual([...expected].sort());
    expect(found[0]).toBe(expected[0]);
  });

  it.each<[string, Filters, number[]]>([
    ['a document', { docId: ['adr'] }, [7, 8]],
    ['a genre', { genre: ['definition'] }, [8]],
    ['a source and a genre', { source: ['tickets'], genre: ['steps', 'definition'] }, [7, 8]],
    ['no value', { docId: [] }, []],
    ['a document that does not exist', { docId: ['__proto__'] }, []],
    ['nothing', {}, [7, 8]],
  ])('honours a filter for %s, and so does every other branch', async (_, filters, expected) => {
    expect(await hitsOf('lexical', 'ticket', filters)).toEqual(expected);
    const allowed = (ordinal: number) =>
      (filters.docId?.includes(index.passages[ordinal]!.docId) ?? true) &&
      (filters.source?.includes(index.passages[ordinal]!.source) ?? true) &&
      (filters.genre?.includes(index.passages[ordinal]!.genre) ?? true);
    for (const name of BRANCHES)
      expect((await hitsOf(name, 'valve ticket', filters)).every(allowed)).toBe(true);
    expect((await hitsOf('dense', 'ticket', filters)).length).toBe(
      index.passages.filter((_, i) => allowed(i)).length,
    );
  });
});

describe('branches', () => {
  it('retrieve differently', async () => {
    const query = 'valve water';
    expect((await hitsOf('definition', query))[0]).toBe(0);
    expect(await hitsOf('cause', query)).toEqual([1]);
    expect(await hitsOf('procedure', query)).toEqual([2]);
    expect(await hitsOf('quantity', 'how heavy is the valve')).toEqual([3]);
    expect(await hitsOf('quantity', 'what percentage of valves')).toEqual([]);
    expect((await hitsOf('lexical', query)).length).toBeGreaterThan(4);
    expect(await hitsOf('dense', query)).toHaveLength(ROWS.length);
  });

  it('put passages of equal score in the order of their ordinals', async () => {
    const same = openRetrieval(backendOf(['same words', 'same words', 'same words']));
    for (const name of ['lexical', 'dense'] as const) {
      const lease = new Ledger(budgetOf(2)).lease(name, { docsScored: 2 });
      const hits = await same.find(name, {
        query: 'words',
        vector: vectorOf('same words'),
        lease,
      });
      expect(hits.map(({ ordinal }) => ordinal)).toEqual([0, 1]);
    }
  });

  it('take a megabyte', async () => {
    const query = 'water '.repeat(170_000);
    expect((await hitsOf('lexical', query))[0]).toBe(4);
    expect(retrieval.coverage(query)).toEqual({ terms: ['water'], unknown: [], known: 1 });
  });

  it('hold an empty index', async () => {
    const empty = openRetrieval(backendOf([]));
    expect(await empty.retrieve(requestOf('water', { lexical: 5, dense: 5, cause: 5 }))).toMatchObject({
      candidates: [],
    });
    expect(empty.coverage('water').unknown).toEqual(['water']);
  });
});

describe('retrieve', () => {
  it('never hands over more than was granted, whatever the profile and the pool', async () => {
    const grants = fc.record(
      Object.fromEntries(BRANCHES.map((name) => [name, fc.nat(6)])) as Record<
        BranchName,
        fc.Arbitrary<number>
      >,
    );
    const degrade = fc.shuffledSubarray([...BRANCHES], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(grants, degrade, fc.nat(30), async (branches, order, pool) => {
        const request = requestOf('valve water', branches, pool, { degrade: order });
        const { candidates, byBranch } = await retrieval.retrieve(request);
        const handed = Object.values(byBranch).reduce((sum, hits) => sum + hits.length, 0);
        const { spent } = request.ledger.receipt();
        expect(spent.docsScored).toBe(handed);
        expect(handed).toBeLessThanOrEqual(
          Math.min(
            pool,
            Object.values(branches).reduce((a, b) => a + b, 0),
          ),
        );
        expect(request.ledger.remaining('docsScored')).toBe(pool - handed);
        expect(new Set(candidates.map(({ ordinal }) => ordinal)).size).toBe(candidates.length);
        for (const hits of Object.values(byBranch))
          expect(new Set(hits.map(({ ordinal }) => ordinal)).size).toBe(hits.length);
      }),
      { numRuns: 60 },
    );
  });

  it('offers what is left unspent in the order of degrade, and the branch goes on where it stopped', async () => {
    const request = requestOf('valve water', { lexical: 1, cause: 5 }, 60, {
      degrade: ['cause', 'dense', 'lexical'],
    });
    const { byBranch } = await retrieval.retrieve(request);
    expect(byBranch.cause).toHaveLength(1);
    expect(byBranch.dense).toHaveLength(4);
    expect(byBranch.lexical).toHaveLength(1);
    const stages = request.ledger.receipt().stages.map(({ stage, spent }) => [stage, spent.docsScored]);
    expect(stages).toEqual([
      ['lexical', 1],
      ['cause', 1],
      ['dense+', 4],
    ]);
    const more = await retrieval.retrieve(
      requestOf('valve water', { lexical: 2, cause: 3 }, 60, { degrade: ['lexical'] }),
    );
    const full = await hitsOf('lexical', 'valve water');
    expect(more.byBranch.lexical!.map(({ ordinal }) => ordinal)).toEqual(full.slice(0, 4));
  });

  it('gives the same whoever runs beside it', async () => {
    const queries = ['valve water', 'ADR-0012', '水道', 'why did the valve break', ''];
    const ask = (query: string) =>
      retrieval.retrieve(requestOf(query, { lexical: 3, dense: 3, cause: 2, quantity: 2 }));
    const alone = [];
    for (const query of queries) alone.push(await ask(query));
    expect(await Promise.all(queries.map(ask))).toEqual(alone);
  });

  it('asks the index once for all branches of an allocation', async () => {
    const asked: number[] = [];
    const request = requestOf('valve water', { lexical: 3, dense: 2, cause: 4, procedure: 4 }, 11);
    await runBranches((searches, call) => {
      asked.push(searches.length);
      return backend.search(searches, call);
    }, request);
    expect(asked[0]).toBe(4);
    expect(asked.slice(1).every((searches) => searches === 1)).toBe(true);
  });

  it('gives every lease back when the index fails, and says which error it was', async () => {
    const request = requestOf('valve', { lexical: 2, cause: 5 }, 10);
    const failing = async () => Promise.reject(new Error('broken'));
    await expect(runBranches(failing, request)).rejects.toThrow('broken');
    expect(request.ledger.remaining('docsScored')).toBe(10);
  });

  it('stops when the caller has gone', async () => {
    const signal = AbortSignal.abort();
    const request = { ...requestOf('valve', { lexical: 2, dense: 2 }), signal };
    await expect(retrieval.retrieve(request)).rejects.toMatchObject({ code: 'ABORTED' });
    expect(request.ledger.receipt().spent.docsScored).toBe(0);
  });

  it('refuses a vector of another embedder', async () => {
    const request = { ...requestOf('valve', { dense: 2 }), vector: new Float32Array(3) };
    await expect(retrieval.retrieve(request)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('says of every candidate what both general branches think of it', async () => {
    const { candidates, byBranch } = await retrieval.retrieve(
      requestOf('valve water', { lexical: 9, dense: 9 }),
    );
    for (const { ordinal, lexical, dense } of candidates) {
      expect(byBranch.lexical!.find((hit) => hit.ordinal === ordinal)?.score ?? 0).toBe(lexical);
      expect(byBranch.dense!.find((hit) => hit.ordinal === ordinal)!.score).toBe(dense);
    }
  });
});

describe('coverage', () => {
  it('names the unknown words as they were written', () => {
    expect(retrieval.coverage('Which Valves and Xylophones are there?')).toEqual({
      terms: ['valves', 'xylophones'],
      unknown: ['xylophones'],
      known: expect.closeTo(0.24, 1),
    });
  });

  it('knows a word by its base form', () => {
    const known = retrieval.coverage('What is held there?');
    expect(known).toEqual({ terms: ['held'], unknown: [], known: 1 });
    expect(retrieval.coverage('What was written?').unknown).toEqual(['written']);
  });

  it('is whole for a query without terms', () => {
    expect(retrieval.coverage('who is it?')).toEqual({ terms: [], unknown: [], known: 1 });
  });

  it('looks at the parts of an identifier, not at the whole', () => {
    expect(retrieval.coverage('ADR-0099').unknown).toEqual(['0099']);
  });
});
