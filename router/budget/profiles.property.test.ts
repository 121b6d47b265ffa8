import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BRANCHES, COUNTED_UNITS, fileOfProfile, loadProfiles } from '../../profiles/index.ts';
import { openScorers, type Scorers } from '../../scorers/index.ts';
import { openRouter } from '../index.ts';
import { demoIndex } from '../testing/demo-index.ts';

const SHIPPED = dirname(createRequire(import.meta.url).resolve('#profiles/budget.json'));
const QUERIES = [
  'How do I replace the battery?',
  'What is a heron?',
  'How much does a satellite modem cost per month, and who signs for a key?',
];

let folder: string;
let index: string;
let scorers: Scorers;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pragaura-caps-'));
  index = join(folder, 'index');
  await demoIndex(index);
  scorers = await openScorers({ threads: 2 });
});
afterAll(async () => {
  await scorers.close();
  await rm(folder, { recursive: true, force: true });
});

async function change(file: string, by: object): Promise<void> {
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...by }));
}

const cap = { min: 1, max: 40 };
const taken = fc.record({
  ks: fc.array(fc.nat({ max: 40 }), { minLength: BRANCHES.length, maxLength: BRANCHES.length }),
  rerankDepth: fc.nat({ max: 40 }),
  nliPairs: fc.nat({ max: 40 }),
  contextTokens: fc.nat({ max: 3_000 }),
});

it('no query spends more than its cap in any unit, whatever the acts may take of it', async () => {
  const names = Object.values(loadProfiles().profiles).flatMap(({ act }) =>
    act === 'NOT_A_QUESTION' ? [] : [act],
  );
  const caps = fc.record({
    docsScored: fc.integer(cap),
    rerankPairs: fc.integer(cap),
    nliPairs: fc.integer(cap),
    contextTokens: fc.integer({ min: 1, max: 3_000 }),
  });
  const wanted = fc.array(taken, { minLength: names.length, maxLength: names.length });
  let set = 0;
  await fc.assert(
    fc.asyncProperty(
      caps,
      wanted,
      fc.constantFrom('act' as const, 'uniform' as const),
      async (budget, all, policy) => {
        const profiles = join(folder, `profiles-${set++}`);
        await cp(SHIPPED, profiles, { recursive: true });
        await change(join(profiles, 'budget.json'), budget);
        for (const [i, act] of names.entries()) {
          const { ks, ...rest } = all[i]!;
          // As much of what is wanted as the caps let a profile take, and one passage at least.
          let left = budget.docsScored - 1;
          const branches = BRANCHES.map((branch, at) => {
            const k = Math.min(ks[at]!, left);
            left -= k;
            return [branch, k + (branch === 'lexical' ? 1 : 0)];
          });
          await change(join(profiles, fileOfProfile(act)), {
            branches: Object.fromEntries(branches),
            rerankDepth: Math.min(rest.rerankDepth, budget.rerankPairs),
            nliPairs: Math.min(rest.nliPairs, budget.nliPairs),
            contextTokens: Math.min(rest.contextTokens, budget.contextTokens),
          });
        }
        const router = await openRouter({ index, scorers, profiles, policy, rule: 'provisional' });
        try {
          for (const query of QUERIES) {
            const { receipt } = await router.route({ id: 'q', query });
            expect(receipt.budget).toEqual({ ...budget, ms: null });
            for (const unit of COUNTED_UNITS) expect(receipt.spent[unit]).toBeLessThanOrEqual(budget[unit]);
          }
        } finally {
          await router.close();
        }
      },
    ),
    { numRuns: 10 },
  );
});
