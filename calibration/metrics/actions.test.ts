import { describe, expect, it } from 'vitest';
import type { Action } from '../../router/index.ts';
import { actionFigures, type Done } from './actions.ts';

const done = (right: Action, what: Action | null, document = 'd'): Done => ({ document, right, done: what });

describe('figures of actions', () => {
  it('are shares of a confusion table, over what is right somewhere', () => {
    const figures = actionFigures([
      done('ANSWER', 'ANSWER'),
      done('ANSWER', 'ANSWER'),
      done('ANSWER', 'ASK'),
      done('ABSTAIN', 'ANSWER'),
      done('ABSTAIN', 'ABSTAIN'),
    ]);
    expect(figures).toMatchObject({ n: 5, documents: 1 });
    expect(figures.accuracy).toEqual({ value: 3 / 5, interval: null });
    // F1 of ANSWER 4/6, of ABSTAIN 2/3; ASK is right nowhere.
    expect(figures.macroF1.value).toBeCloseTo(2 / 3, 12);
    expect(figures.answeredInVain.value).toBe(1 / 5);
    expect(figures.byAction.ANSWER).toMatchObject({
      right: 3,
      done: 3,
      precision: { value: 2 / 3 },
      recall: { value: 2 / 3 },
    });
    expect(figures.byAction.ASK).toMatchObject({
      right: 0,
      done: 1,
      precision: { value: 0 },
      recall: { value: null },
    });
    expect(figures.byAction.ABSTAIN).toMatchObject({ precision: { value: 1 }, recall: { value: 0.5 } });
  });

  it('count what could not be decided as wrong, and as no action', () => {
    const { accuracy, byAction } = actionFigures([done('ASK', null), done('ASK', 'ASK')]);
    expect(accuracy.value).toBe(0.5);
    expect(byAction.ASK).toMatchObject({
      right: 2,
      done: 1,
      precision: { value: 1 },
      recall: { value: 0.5 },
    });
  });

  it('have intervals by document: ten alike questions of each are no more than one', () => {
    const of = (each: number) =>
      Array.from({ length: 12 }, (_, d) =>
        Array.from({ length: each }, () => done('ANSWER', d % 3 === 0 ? 'ASK' : 'ANSWER', `d${d}`)),
      ).flat();
    const [one, ten] = [actionFigures(of(1)), actionFigures(of(10))];
    expect(ten.accuracy).toEqual(one.accuracy);
    const { low, high } = one.accuracy.interval!;
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(0.83);
  });

  it('have no interval where a resample has nothing to divide by', () => {
    const { byAction } = actionFigures([done('ANSWER', 'ANSWER', 'a'), done('ASK', 'ASK', 'b')]);
    expect(byAction.ASK.recall).toEqual({ value: 1, interval: null });
  });

  it('need queries', () => {
    expect(() => actionFigures([])).toThrow(RangeError);
  });
});
