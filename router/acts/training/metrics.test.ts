import { expect, test } from 'vitest';
import type { Act } from '../../../profiles/index.ts';
import {
  accuracy,
  calibrationError,
  coreAccuracy,
  macroF1,
  type Outcome,
  scoresOf,
  withInterval,
} from './metrics.ts';

const of = (gold: Act, label: Act, top = 1, group = 0): Outcome => ({
  gold,
  label,
  likeliest: label,
  top,
  group,
  confident: true,
});

const FOUR = [
  of('FACT', 'VERIFICATION'),
  of('QUANTITY', 'QUANTITY'),
  of('EXPLANATION', 'NOT_A_QUESTION'),
  of('NOT_A_QUESTION', 'NOT_A_QUESTION'),
];

test('accuracies by hand', () => {
  expect(accuracy(FOUR)).toBe(0.5);
  // VERIFICATION folds into FACT; a refused question is wrong; what is no question does not count.
  expect(coreAccuracy(FOUR)).toBeCloseTo(2 / 3, 12);
  expect(accuracy([])).toBeNaN();
});

test('precision, recall and F1 by hand', () => {
  expect(scoresOf(FOUR, 'NOT_A_QUESTION')).toMatchObject({
    precision: 0.5,
    recall: 1,
    support: 1,
    predicted: 2,
  });
  expect(macroF1(FOUR)).toBeCloseTo((0 + 1 + 0 + 2 / 3) / 4, 12);
});

test('calibration error by hand', () => {
  const outcomes = [
    of('FACT', 'FACT', 0.9),
    of('FACT', 'QUANTITY', 0.9),
    of('FACT', 'FACT', 0.5),
    of('FACT', 'FACT', 0.5),
  ];
  // Two at 0.9, one right: |1 - 1.8|; two at 0.5, both right: |2 - 1|; over four.
  expect(calibrationError(outcomes)).toBeCloseTo((0.8 + 1) / 4, 12);
});

test('the interval draws groups, not texts', () => {
  const half = (groups: number) =>
    Array.from({ length: 200 }, (_, i) =>
      of('FACT', (i % groups) % 2 === 0 ? 'FACT' : 'QUANTITY', 1, i % groups),
    );
  const wide = withInterval(half(4), accuracy);
  const narrow = withInterval(half(200), accuracy);
  expect(wide.value).toBe(0.5);
  expect(wide.high - wide.low).toBeGreaterThan(2 * (narrow.high - narrow.low));
  expect(withInterval(half(200), accuracy)).toEqual(narrow);
});
