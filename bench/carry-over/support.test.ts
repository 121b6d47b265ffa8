import { expect, it } from 'vitest';
import { DEFAULT_UTILITIES } from '../../router/index.ts';
import type { Facts } from '../decisions/observation/facts.ts';
import { bySupport, fitSupport, supportOf } from './support.ts';
import { measuredSet } from './testing/sets.ts';

const facts = (planning: Record<string, number | null> | null, more: Partial<Facts> = {}) =>
  ({ final: null, answerable: true, planning, ...more }) as unknown as Facts;

it('is the weighed sum of similarity, coverage and consistency, and none where one was not measured', () => {
  const measured = { bestRelevance: 0.8, coverage: 0.5, C: 0.25 };
  expect(supportOf(facts(measured), [0.5, 0.25, 0.25])).toBeCloseTo(0.4 + 0.125 + 0.1875);
  for (const name of ['bestRelevance', 'coverage', 'C']) {
    expect(supportOf(facts({ ...measured, [name]: null }), [0.5, 0.25, 0.25])).toBeNull();
  }
  expect(supportOf(facts(null), [1, 0, 0])).toBeNull();
});

it('answers from tau on, refuses below it, and heeds what is final', () => {
  const decide = bySupport({ weights: [1, 0, 0], tau: 0.5 });
  const of = (bestRelevance: number, more: Partial<Facts> = {}) =>
    decide(facts({ bestRelevance, coverage: 0, C: 0 }, more));
  expect([of(0.5), of(0.49)]).toEqual(['ANSWER', 'ABSTAIN']);
  expect(of(0.9, { answerable: false })).toBe('ABSTAIN');
  expect(of(0.9, { final: 'ASK' })).toBe('ASK');
});

it('is fitted to what tells answers apart', () => {
  const set = measuredSet({ name: 'a', due: [50, 0, 50] });
  const told = {
    ...set,
    facts: set.facts.map((each, i) => ({
      ...each,
      final: null,
      answerable: true,
      planning: {
        ...each.planning!,
        bestRelevance: 0.5,
        coverage: 0.5,
        C: set.queries[i]!.action === 'ANSWER' ? 0.1 : 0.9,
      },
    })),
  };
  const fitted = fitSupport([told], DEFAULT_UTILITIES);
  expect(fitted.weights[2]).toBeGreaterThan(0);
  const decide = bySupport(fitted);
  expect(told.facts.map((each) => decide(each))).toEqual(
    told.queries.map(({ action }) => (action === 'ANSWER' ? 'ANSWER' : 'ABSTAIN')),
  );
});
