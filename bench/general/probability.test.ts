import { describe, expect, it } from 'vitest';
import { sigmoid } from '../../common/index.ts';
import { fitProbability, logitOf } from './probability.ts';

/** `right` of `of` cases with these values. */
function cases(
  values: Record<string, number | null>,
  right: number,
  of: number,
  act: 'FACT' | 'PROCEDURE' = 'FACT',
) {
  return Array.from({ length: of }, (_, i) => ({ values, act, right: i < right }));
}
const FREE = { ridge: 1e-9, shrink: Number.POSITIVE_INFINITY };

describe('the probability that something is right', () => {
  it('is the share that is right at each of two values', () => {
    const seen = [...cases({ x: 0 }, 20, 100), ...cases({ x: 1 }, 90, 100)];
    const fitted = fitProbability(seen, { ...FREE, features: ['x'] });
    expect(sigmoid(logitOf(fitted, { x: 0 }, 'FACT'))).toBeCloseTo(0.2, 4);
    expect(sigmoid(logitOf(fitted, { x: 1 }, 'FACT'))).toBeCloseTo(0.9, 4);
    // Between the two the logits lie on a line.
    expect(sigmoid(logitOf(fitted, { x: 0.5 }, 'FACT'))).toBeCloseTo(0.6, 4);
  });

  it('is the share of those where a value is missing, and the worst where none ever was', () => {
    const seen = [...cases({ x: 0 }, 20, 100), ...cases({ x: 1 }, 90, 100), ...cases({ x: null }, 70, 100)];
    const fitted = fitProbability(seen, { ...FREE, features: ['x'] });
    expect(sigmoid(logitOf(fitted, {}, 'FACT'))).toBeCloseTo(0.7, 4);
    const never = fitProbability(seen.slice(0, 200), { ...FREE, features: ['x'] });
    expect(logitOf(never, { x: null }, 'FACT')).toBeCloseTo(logitOf(never, { x: 0 }, 'FACT'), 6);
  });

  it('is the share of an act where it has many questions, and near that of all where it has few', () => {
    const many = [...cases({ x: 0 }, 500, 1_000), ...cases({ x: 0 }, 900, 1_000, 'PROCEDURE')];
    const options = { features: ['x'], ridge: 1e-9, shrink: 5 };
    expect(sigmoid(logitOf(fitProbability(many, options), { x: 0 }, 'PROCEDURE'))).toBeCloseTo(0.9, 1);
    const few = [...cases({ x: 0 }, 500, 1_000), ...cases({ x: 0 }, 2, 2, 'PROCEDURE')];
    const p = sigmoid(logitOf(fitProbability(few, options), { x: 0 }, 'PROCEDURE'));
    expect(p).toBeGreaterThan(0.5);
    expect(p).toBeLessThan(0.6);
    // Where nothing is known of an act, it is as the pool.
    expect(fitProbability(few, options).shifts.OPINION).toBeUndefined();
  });

  it('has the shift at which the gradient of its penalised likelihood is nought', () => {
    const own = cases({ x: 0 }, 30, 40, 'PROCEDURE');
    const fitted = fitProbability([...cases({ x: 0 }, 40, 80), ...own], {
      features: ['x'],
      ridge: 1e-9,
      shrink: 3,
    });
    const shift = fitted.shifts.PROCEDURE!;
    const p = sigmoid(fitted.intercept + shift);
    expect(30 - 40 * p - 3 * shift).toBeCloseTo(0, 6);
  });
});
