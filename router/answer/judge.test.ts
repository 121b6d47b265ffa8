import { expect, it } from 'vitest';
import { Ledger } from '../budget/index.ts';
import { weigh } from './judge.ts';
import { scoredIn, sourcesIn } from './testing/sources.ts';

const YES = { entailment: 0.97, contradiction: 0.01 };
const NO = { entailment: 0.02, contradiction: 0.95 };
const NOTHING = { entailment: 0, contradiction: 0 };

/** What the units of a section say of a query, where the model reads the same in all. */
async function stances(heading: string, text: string, query: string, read: typeof YES) {
  const budget = { docsScored: 0, rerankPairs: 0, nliPairs: 9, contextTokens: 0, ms: null };
  const lease = new Ledger(budget).lease('answer', { nliPairs: 9 });
  const nli = async (pairs: readonly unknown[]) => pairs.map(() => ({ ...read, neutral: 0.02 }));
  const units = scoredIn(sourcesIn(`<h1>Questions</h1><h2>${heading}</h2><p>${text}</p>`)).filter(
    ({ kind }) => kind !== 'heading',
  );
  const weighed = await weigh({ query, lease, scorers: { nli } } as never, units);
  return weighed
    .sort((a, b) => a.start - b.start)
    .map(({ entailment, contradiction }) => ({ entailment, contradiction }));
}

it.each([
  ['Can it add copies?', 'No, it cannot. That needs room.', 'Can it add copies to a disk?', YES, NOTHING],
  ['Can it add copies?', 'No, it cannot. That needs room.', 'Can it add copies to a disk?', NO, NO],
  ['Can Borg compress data?', 'Yes, it can compress data.', 'Borg cannot compress data', NO, NOTHING],
  ['Passwords that users reset', 'Users can do it. No-one else can.', 'Can users reset passwords?', YES, YES],
  ['Lengths', 'No. 5 is the inlet. It is 3 m long.', 'Is the inlet of that length?', YES, YES],
  ['Tabs', 'You can open multiple databases.', 'Can I open two databases at once?', NO, NOTHING],
  ['Tabs', 'You can open multiple databases.', 'Is only a single database open?', NO, NO],
  ['Tabs', 'Never open multiple databases.', 'Should I open two databases?', NO, NO],
  ['Is it blue?', 'It is. No, that is wrong.', 'Is it blue?', YES, YES],
])('"%s": "%s" says of "%s" what is read, or nothing where that is the contrary', async (...given) => {
  const [heading, text, query, read, expected] = given;
  const found = await stances(heading, text, query, read);
  expect(found[0]).toEqual(expected);
});

it('a section that begins with no is not read as yes further down, and one that asks otherwise may', async () => {
  const text = 'No, it cannot. While that sounds good, it would need room.';
  expect(await stances('Can it add copies?', text, 'Can it add copies?', YES)).toEqual([NOTHING, NOTHING]);
  expect(await stances('Is it dear?', text, 'Would copies need room?', YES)).toEqual([NOTHING, YES]);
});
