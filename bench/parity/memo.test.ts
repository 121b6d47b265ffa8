import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { type Decision, openRouter, Query, type Router } from '../../router/index.ts';
import { demoIndex } from '../../router/testing/demo-index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { Memo } from './memo.ts';

const demo = dirname(createRequire(import.meta.url).resolve('#demo/queries.ndjson'));
let folder: string;
let index: string;
let queries: Query[];
let pool: Scorers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-memo-'));
  index = join(folder, 'index');
  await demoIndex(index);
  const text = await readFile(join(demo, 'queries.ndjson'), 'utf8');
  queries = text
    .trim()
    .split('\n')
    .slice(0, 4)
    .map((line) => Query.parse(JSON.parse(line)));
  pool = await openScorers({ threads: 2 });
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true, force: true });
});

const policies = [
  { policy: 'uniform' },
  { policy: 'act' },
  { policy: 'act', budget: { docsScored: 30, rerankPairs: 10, nliPairs: 12, contextTokens: 2048 } },
  { policy: 'act', budget: { docsScored: 90, rerankPairs: 40, nliPairs: 40, contextTokens: 8192 } },
] as const;
const routersOver = (scorers: Scorers) =>
  Promise.all(policies.map((policy) => openRouter({ index, scorers, ...policy })));

/** A decision without what the clock wrote into it. */
function bytes({ timings: _, receipt, ...rest }: Decision): string {
  const { ms: __, ...spent } = receipt.spent;
  return JSON.stringify({ ...rest, spent, stages: receipt.stages.map(({ ms: ___, ...stage }) => stage) });
}

async function decided(routers: readonly Router[], query: Query): Promise<string[]> {
  const decisions: string[] = [];
  for (const router of routers) decisions.push(bytes(await router.route(query)));
  return decisions;
}

describe('scores that policies have in common', () => {
  it('are the same bytes as without the memory, receipts included, and far fewer are computed', async () => {
    const memo = new Memo(pool);
    const [plain, remembering] = await Promise.all([routersOver(pool), routersOver(memo.scorers)]);
    // Overlapping questions: each has a memory of its own.
    const shared = await Promise.all(
      queries.map((query) => memo.question(() => decided(remembering, query))),
    );
    const alone = await Promise.all(queries.map((query) => decided(plain, query)));
    expect(shared).toEqual(alone);
    const { embed, rerank, read, nli } = memo.counts;
    expect(embed).toEqual({ asked: 4 * queries.length, computed: queries.length });
    // What is judged for the form of an answer comes on top of what is read.
    expect(rerank.asked).toBeGreaterThanOrEqual(read.asked);
    expect(rerank.computed).toBeGreaterThanOrEqual(read.computed);
    // 10, 20, 20 and 40 of much the same passages.
    expect(rerank.computed).toBeLessThan(0.6 * rerank.asked);
    expect(nli.computed).toBeLessThan(nli.asked);
  });

  it('are forgotten with the question, and not remembered outside of one', async () => {
    const memo = new Memo(pool);
    const pair = { query: 'How tall is the mast?', passage: 'The mast is 12 m tall.' };
    for (let i = 0; i < 2; i++) await memo.scorers.read([pair]);
    for (let i = 0; i < 2; i++) await memo.question(() => memo.scorers.read([pair]));
    expect(memo.counts.read).toEqual({ asked: 4, computed: 4 });
    await memo.question(async () => {
      const [first, again] = [await memo.scorers.read([pair, pair]), await memo.scorers.read([pair])];
      expect(again[0]).toBe(first[0]);
      expect(first[0]).toBe(first[1]);
    });
    expect(memo.counts.read).toEqual({ asked: 7, computed: 5 });
  });

  it('come in the order of the call, whichever were known', async () => {
    const memo = new Memo(pool);
    const texts = ['one mast', 'two masts', 'three masts', 'one mast'];
    await memo.question(async () => {
      await memo.scorers.embed(['two masts']);
      expect(await memo.scorers.embed(texts)).toEqual(await pool.embed(texts));
    });
  });

  it('are never those of texts that run together alike', async () => {
    const memo = new Memo(pool);
    await memo.question(async () => {
      await memo.scorers.nli([{ premise: 'ab', hypothesis: 'c' }]);
      await memo.scorers.nli([{ premise: 'a', hypothesis: 'bc' }]);
      await memo.scorers.nli([{ premise: '__proto__', hypothesis: 'constructor' }]);
    });
    expect(memo.counts.nli).toEqual({ asked: 3, computed: 3 });
  });

  it('are asked for again after a failure', async () => {
    let failures = 1;
    const memo = new Memo({
      ...pool,
      nli: async (pairs, options) => {
        if (failures-- > 0) throw new PragauraError('SCORING_FAILED', 'once');
        return pool.nli(pairs, options);
      },
    });
    const pair = { premise: 'It rained.', hypothesis: 'It was wet.' };
    await memo.question(async () => {
      await expect(memo.scorers.nli([pair])).rejects.toMatchObject({ code: 'SCORING_FAILED' });
      expect(await memo.scorers.nli([pair])).toEqual(await pool.nli([pair]));
    });
  });

  it('leave the pool open', async () => {
    const memo = new Memo(pool);
    await memo.scorers.close();
    expect(await pool.embed(['still there'])).toHaveLength(1);
  });
});
