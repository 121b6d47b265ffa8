import { expect, it } from 'vitest';
import { openPlanner, type PlannerModel } from '../../router/index.ts';
import { exampleOf } from '../labels/examples.ts';
import { hashesOfTies } from './identities.ts';
import { isUnseen } from './planner-ties.ts';

const shipped = await openPlanner(undefined);
const fittedOn = [
  exampleOf({ id: 'a', query: 'Who built it?', group: 'one', passages: ['guide.md#1'] }),
  exampleOf({ id: 'b', query: 'When was it closed?', group: 'two' }),
];
const on = { ties: hashesOfTies(fittedOn) } as NonNullable<PlannerModel['fitted']['on']>;
const planner: PlannerModel = { ...shipped, fitted: { ...shipped.fitted, on } };
const fresh = exampleOf({ id: 'x', query: 'Is it new?', group: 'three' });

it('tells of a planner whether it has seen queries, and does not know of one that does not say', () => {
  expect(isUnseen(planner, [fresh], '')).toBe(true);
  expect(isUnseen(shipped, [fresh, ...fittedOn], '')).toBe(false);
});

it.each([
  [{ group: 'two' }, 'the group "two"'],
  [{ group: 'y', passages: ['guide.md#9'] }, 'the document "guide.md"'],
  [{ group: 'y', query: 'who BUILT it' }, 'the question "who BUILT it"'],
])('refuses what it has seen: %j', (change, words) => {
  const known = exampleOf({ id: 'k', query: 'How high is it?', ...change });
  expect(() => isUnseen(planner, [fresh, known], 'Do so.')).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(
        new RegExp(`^1 of 2 labelled queries .* the first is "k", with ${words}`),
      ),
      hint: 'Do so.',
    }),
  );
});
