import { expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { halved, ranked, rungsOf } from './halving.ts';

it('halves trials and doubles questions until a few have seen all', () => {
  expect(rungsOf(32, 320)).toEqual([
    { trials: 32, questions: 40 },
    { trials: 16, questions: 80 },
    { trials: 8, questions: 160 },
    { trials: 4, questions: 320 },
  ]);
  expect(rungsOf(9, 10)).toEqual([
    { trials: 9, questions: 5 },
    { trials: 5, questions: 10 },
  ]);
  expect(rungsOf(3, 10)).toEqual([{ trials: 3, questions: 10 }]);
  expect(rungsOf(64, 3)[0]).toEqual({ trials: 64, questions: 1 });
});

it('ranks what costs too much last, and among equals what came first', () => {
  const judged = { early: 0.5, late: 0.5, dear: 0.9, best: 0.6 };
  const order = ranked(Object.keys(judged) as (keyof typeof judged)[], (name) => ({
    value: judged[name],
    allowed: name !== 'dear',
  }));
  expect(order).toEqual(['best', 'early', 'late', 'dear']);
});

it('finds the best trial in a world with noise, showing no trial more than its rung', async () => {
  // Trial i is right on a question with a chance of .3 + .6 * i / 31; questions are the same for all.
  const trials = Array.from({ length: 32 }, (_, i) => 31 - i);
  const rungs = rungsOf(trials.length, 800);
  const right = trials.map((trial) => {
    const random = seededRandom(trial + 1);
    return Array.from({ length: 800 }, () => Number(random() < 0.3 + (0.6 * trial) / 31));
  });
  const shown: [number, number][] = [];
  const left = await halved(trials, rungs, async (some, questions) => {
    shown.push([some.length, questions]);
    return (trial) => {
      const seen = right[trials.indexOf(trial)]!.slice(0, questions);
      return { value: seen.reduce((sum, one) => sum + one, 0) / seen.length, allowed: true };
    };
  });
  expect(shown).toEqual(rungs.map(({ trials: count, questions }) => [count, questions]));
  expect(left).toHaveLength(4);
  expect(left[0]).toBeGreaterThanOrEqual(29);
});
