import { expect, it } from 'vitest';
import { withoutClocks } from '../../common/index.ts';
import { differingLines } from './run.ts';

const decision = (ms: number, answer: string) =>
  JSON.stringify({
    id: 'q',
    answer,
    receipt: { budget: { ms: 500 }, spent: { docsScored: 3, ms }, stages: [{ stage: 'lexical', ms }] },
    timings: { total: ms },
  });

it('takes out what clocks wrote and nothing else', () => {
  expect(withoutClocks(decision(7, 'x'))).toBe(
    '{"id":"q","answer":"x","receipt":{"budget":{"ms":500},"spent":{"docsScored":3},"stages":[{"stage":"lexical"}]}}',
  );
});

it('finds lines that differ otherwise, are missing, or stand elsewhere', () => {
  const [a, b] = [decision(1, 'x'), decision(2, 'x')];
  expect(differingLines([a, a], [b, b])).toEqual([]);
  expect(differingLines([a, decision(1, 'y')], [b, b])).toEqual([1]);
  expect(differingLines([a], [a, a])).toEqual([1]);
  expect(differingLines(['{"id":1,"x":2}'], ['{"x":2,"id":1}'])).toEqual([0]);
});
