import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import {
  brier,
  calibrationError,
  equalMassBins,
  errorByChance,
  resampledCalibrationError,
} from './probability.ts';

const at = (confidence: number, ...rights: number[]) => rights.map((right) => ({ confidence, right }));

describe('brier', () => {
  it('is the mean squared distance', () => {
    expect(brier([...at(0.8, 1), ...at(0.3, 0)])).toBeCloseTo((0.04 + 0.09) / 2, 12);
    expect(brier(at(0.5, 1, 0, 0, 1))).toBe(0.25);
    expect(brier(at(1, 1, 1))).toBe(0);
    expect(brier(at(1, 0))).toBe(1);
    expect(brier([])).toBeNull();
  });
});

describe('equal-mass bins', () => {
  it('cuts after every n/bins items', () => {
    const items = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9].flatMap((c, i) => at(c, i % 2));
    const bins = equalMassBins(items, 4);
    expect(bins.map(({ n }) => n)).toEqual([2, 2, 2, 2]);
    expect(bins[0]!.confidence).toBeCloseTo(0.15, 12);
    expect(bins[0]!.right).toBe(0.5);
  });

  it('shares out what does not divide: 10 items in 4 bins', () => {
    const items = Array.from({ length: 10 }, (_, i) => ({ confidence: i / 10, right: 1 }));
    expect(equalMassBins(items, 4).map(({ n }) => n)).toEqual([3, 2, 3, 2]);
  });

  it('never parts a tie', () => {
    expect(equalMassBins([...at(0.2, 1, 0, 1, 0, 1), ...at(0.9, 1)], 3).map(({ n }) => n)).toEqual([5, 1]);
    expect(equalMassBins(at(0.4, 1, 0), 15)).toEqual([{ n: 2, confidence: 0.4, right: 0.5 }]);
  });

  it('keeps every item once, in at most as many bins as asked for, whatever the order', () => {
    const forecast = fc.record({
      confidence: fc.integer({ min: 0, max: 12 }).map((i) => i / 12),
      right: fc.constantFrom(0, 1),
    });
    fc.assert(
      fc.property(fc.array(forecast, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (items, count) => {
        const bins = equalMassBins(items, count);
        expect(bins.reduce((sum, { n }) => sum + n, 0)).toBe(items.length);
        expect(bins.length).toBeLessThanOrEqual(count);
        expect(bins.every(({ n }) => n > 0)).toBe(true);
        const back = calibrationError([...items].reverse(), count);
        if (items.length === 0) expect(back).toBeNull();
        else expect(back).toBeCloseTo(calibrationError(items, count)!, 12);
      }),
    );
  });
});

describe('calibrationError', () => {
  it('weighs the bins by their items', () => {
    // Three at .9 of which two are right, one at .2 that is wrong.
    const items = [...at(0.9, 1, 1, 0), ...at(0.2, 0)];
    expect(calibrationError(items, 2)).toBeCloseTo(0.75 * (0.9 - 2 / 3) + 0.25 * 0.2, 12);
  });

  it('is nothing when each bin is right as often as it says', () => {
    expect(calibrationError([...at(0.75, 1, 1, 1, 0), ...at(0.25, 0, 0, 0, 1)], 2)).toBeCloseTo(0, 12);
    expect(calibrationError(at(1, 1, 1), 10)).toBe(0);
    expect(calibrationError(at(1, 0, 0), 10)).toBe(1);
  });

  it('with weights is that of the items repeated', () => {
    const items = [...at(0.1, 0), ...at(0.4, 1), ...at(0.4, 0), ...at(0.8, 1), ...at(0.9, 0)];
    const weights = [2, 0, 1, 3, 1];
    const repeated = items.flatMap((item, i) => Array.from({ length: weights[i]! }, () => item));
    const { errorWith } = resampledCalibrationError(items, 3);
    expect(errorWith(weights)).toBeCloseTo(calibrationError(repeated, 3)!, 12);
    expect(errorWith([0, 0, 0, 0, 0])).toBeNull();
  });

  it('by chance: what exact forecasts get on average', () => {
    const confidences = Array.from({ length: 200 }, (_, i) => 0.3 + (0.6 * i) / 200);
    const random = seededRandom(11);
    const errors = Array.from(
      { length: 2_000 },
      () =>
        calibrationError(
          confidences.map((confidence) => ({ confidence, right: random() < confidence ? 1 : 0 })),
          10,
        )!,
    );
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const expected = errorByChance(
      confidences.map((confidence) => ({ confidence, right: 1 })),
      10,
    )!;
    // Standard error of the mean is .0004; the normal stands for a binomial of 20.
    expect(Math.abs(mean - expected)).toBeLessThan(0.003);
    expect(errorByChance(at(1, 1, 0), 5)).toBe(0);
    expect(errorByChance(at(0.5, 1), 1)).toBeCloseTo(Math.sqrt((2 / Math.PI) * 0.25), 12);
    expect(errorByChance([], 5)).toBeNull();
  });

  it('refuses what is no probability', () => {
    expect(() => calibrationError(at(1.01, 1), 5)).toThrow(RangeError);
    expect(() => brier(at(Number.NaN, 1))).toThrow(RangeError);
    expect(() => brier(at(0.5, 2))).toThrow(RangeError);
    expect(() => calibrationError(at(0.5, 1), 0)).toThrow(RangeError);
  });
});
