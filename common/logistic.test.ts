import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedLogit, logit, logLoss, sigmoid } from './logistic.ts';

test('log odds and probabilities are each other’s inverse', () => {
  fc.assert(
    fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (z) => {
      expect(logit(sigmoid(z))).toBeCloseTo(z, 2);
      expect(sigmoid(z) + sigmoid(-z)).toBeCloseTo(1, 12);
    }),
  );
});

test('the loss is the negative logarithm of the probability, also where that is too small for a float', () => {
  fc.assert(
    fc.property(fc.double({ min: -700, max: 700, noNaN: true }), (z) => {
      const loss = -Math.log(sigmoid(z));
      expect(Math.abs(logLoss(z) - loss)).toBeLessThan(1e-9 * (1 + Math.abs(z)));
    }),
  );
  expect(logLoss(-2_000)).toBe(2_000);
  expect(logLoss(2_000)).toBe(0);
});

test('both ends', () => {
  expect([sigmoid(Number.NEGATIVE_INFINITY), sigmoid(0), sigmoid(Number.POSITIVE_INFINITY)]).toEqual([
    0, 0.5, 1,
  ]);
  expect([logit(0), logit(0.5), logit(1)]).toEqual([Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY]);
});

test('bounded log odds are those of the probability within its bounds, and of the bounds beyond', () => {
  expect([boundedLogit(0, 0.1), boundedLogit(0.1, 0.1), boundedLogit(1, 0.1)]).toEqual([
    logit(0.1),
    logit(0.1),
    logit(0.9),
  ]);
  expect(boundedLogit(0.3, 1e-9)).toBe(logit(0.3));
});
