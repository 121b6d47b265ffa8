import { expect, test } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { fitWeights, gateAt, type SpanRead, worthOf, worthOfFitting } from './fit.ts';

const TRUE = { relevanceWeight: 0.8, marginWeight: 0.3, offset: -2 };

/** Spans of a world in which the constants are known. */
function world(n: number): SpanRead[] {
  const random = seededRandom(7);
  return Array.from({ length: n }, (_, i) => {
    const [relevance, margin] = [12 * random() - 6, 20 * random() - 10];
    const z = TRUE.relevanceWeight * relevance + TRUE.marginWeight * margin + TRUE.offset;
    const right = random() < 1 / (1 + Math.exp(-z));
    return { question: `q${i >> 2}`, group: `g${i >> 3}`, relevance, margin, right };
  });
}

const span = (relevance: number, right: boolean, question = 'q'): SpanRead => ({
  question,
  group: question,
  relevance,
  margin: 0,
  right,
});

test('finds the constants of a world that follows the formula', () => {
  const spans = world(8_000);
  const fitted = fitWeights(spans);
  expect(Math.abs(fitted.relevanceWeight - TRUE.relevanceWeight)).toBeLessThan(0.08);
  expect(Math.abs(fitted.marginWeight - TRUE.marginWeight)).toBeLessThan(0.04);
  expect(Math.abs(fitted.offset - TRUE.offset)).toBeLessThan(0.25);
  const [before, after] = [worthOf(spans, { ...TRUE, offset: 0 }), worthOfFitting(spans)];
  expect(after.logLoss).toBeLessThan(before.logLoss);
  expect(Math.abs(after.logLoss - worthOf(spans, TRUE).logLoss)).toBeLessThan(2e-3);
});

test('log loss, AUROC with ties and the chosen span by hand', () => {
  const spans = [span(1, true, 'a'), span(0, false, 'a'), span(0, true, 'b'), span(2, false, 'b')];
  const even = worthOf(spans, { relevanceWeight: 0, marginWeight: 0, offset: 0 });
  expect(even.logLoss).toBeCloseTo(Math.LN2, 12);
  expect(even.auroc).toBe(0.5);
  const { logLoss, auroc, chosen } = worthOf(spans, { relevanceWeight: 1, marginWeight: 0, offset: 0 });
  const sum = Math.log(1 + Math.exp(-1)) + 2 * Math.LN2 + Math.log(1 + Math.exp(2));
  expect(logLoss).toBeCloseTo(sum / 4, 12);
  // Of the four pairs of right and wrong: 1 above 0, 1 below 2, 0 beside 0, 0 below 2.
  expect(auroc).toBe(1.5 / 4);
  expect(chosen).toBe(0.5);
  expect(worthOf([span(1, true)], TRUE).auroc).toBeNull();
});

test('a passage at the gate is let in', () => {
  const spans = [span(-2, true), span(0, true), span(-0.1, false), span(3, false)];
  expect(gateAt(spans, 0.5)).toEqual({ relevance: 0.5, rightLost: 0.5, othersKeptOut: 0.5 });
  expect(gateAt([], 0.5)).toEqual({ relevance: 0.5, rightLost: null, othersKeptOut: null });
});

test('a signal that would speak against spans is left out, and the other fitted alone', () => {
  const against = world(4_000).map((each, i) => ({ ...each, relevance: (each.right ? -1 : 1) * (i % 3) }));
  const fitted = fitWeights(against);
  expect(fitted.relevanceWeight).toBe(0);
  const alone = fitWeights(against.map((each) => ({ ...each, relevance: 0 })));
  expect(fitted.marginWeight).toBeCloseTo(alone.marginWeight, 9);
  expect(fitted.marginWeight).toBeGreaterThan(0.05);
});
