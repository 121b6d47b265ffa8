import { expect, test } from 'vitest';
import { seededRandom, sigmoid } from '../../common/index.ts';
import { FUSED_WEIGHT } from '../../router/retrieval/index.ts';
import type { Item } from './judged.ts';
import { firstRight, fitFusedWeight, orderOf } from './order.ts';
import { item } from './testing/items.ts';

type Read = Item['read'];

/** Questions of five passages of which the right one is drawn by a conditional logit of known weights. */
function choices(questions: number, logitWeight: number, fusedWeight: number): Read[] {
  const random = seededRandom(11);
  return Array.from({ length: questions }, () => {
    const list = Array.from({ length: 5 }, () => ({ logit: 12 * random() - 6, fused: random() }));
    const odds = list.map(({ logit, fused }) => Math.exp(logitWeight * logit + fusedWeight * fused));
    const drawn = random() * odds.reduce((sum, each) => sum + each, 0);
    const taken = odds.findIndex((_, i) => odds.slice(0, i + 1).reduce((sum, each) => sum + each, 0) > drawn);
    return list.map(({ logit, fused }, i) => ({ relevance: sigmoid(logit), fused, right: i === taken }));
  });
}

test('the weight of the fused score is found in a world that follows the model', () => {
  // Standard error by the information of 20,000 questions: about .03 on each weight.
  expect(fitFusedWeight(choices(20_000, 0.5, 4))).toBeCloseTo(8, 0);
  expect(Math.abs(fitFusedWeight(choices(20_000, 0.8, 0))!)).toBeLessThan(0.15);
  expect(fitFusedWeight(choices(500, -0.5, 4))).toBeNull();
  const one = { relevance: 0.7, fused: 0.5 };
  expect(fitFusedWeight([[{ ...one, right: true }], [{ ...one, right: false }]])).toBeNull();
});

test('two right passages count as one of them does', () => {
  const once = choices(4_000, 0.5, 4);
  const twice = once.map((read) => [...read, ...read.filter(({ right }) => right)]);
  expect(fitFusedWeight(twice)).toBeGreaterThan(0);
  expect(Math.abs(fitFusedWeight(twice)! / fitFusedWeight(once)! - 1)).toBeLessThan(0.15);
});

test('what a weight is worth, by hand; ties are lost', () => {
  const read = (...passages: [logit: number, fused: number, right: boolean][]): Read =>
    passages.map(([logit, fused, right]) => ({ relevance: sigmoid(logit), fused, right }));
  const questions = [
    read([2, 0, true], [1, 0.5, false]),
    read([1, 1, true], [2, 0, false], [3, 0, false]),
    read([1, 0, true], [1, 0, false]),
    read([9, 1, false]),
  ];
  expect(firstRight(questions, 0)).toBe(1 / 4);
  expect(firstRight(questions, 4)).toBe(1 / 4);
  expect(firstRight([read([9, 1, true])], 4)).toBe(1);
});

test('each set is tried with a weight that it had no part in; what has no answer has none', () => {
  const [low, high] = [choices(600, 1, 0), choices(600, 1, 8)];
  const items = [
    ...low.map((read) => item({ set: 'low', read })),
    ...high.map((read) => item({ set: 'high', read })),
    ...high.slice(0, 50).map((read) => item({ set: 'low', answerable: false, read })),
    item({ set: 'low', read: [] }),
  ];
  const { weight, byWeight, sets } = orderOf(items);
  const [first, second] = sets;
  expect([first!.set, first!.n, second!.set, second!.n]).toEqual(['low', 600, 'high', 600]);
  expect(first!.fitted).toBeCloseTo(fitFusedWeight(high)!, 9);
  expect(second!.fitted).toBeCloseTo(fitFusedWeight(low)!, 9);
  expect(first!.fitted).toBeGreaterThan(weight!);
  expect(second!.fitted).toBeLessThan(weight!);
  expect(byWeight[0]).toEqual({ weight: 0, first: (firstRight(low, 0) + firstRight(high, 0)) / 2 });
  expect(second!.first).toEqual({
    relevance: firstRight(high, 0),
    shipped: firstRight(high, FUSED_WEIGHT),
    fitted: firstRight(high, second!.fitted!),
  });
});
