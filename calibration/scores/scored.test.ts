import { expect, it } from 'vitest';
import { byEntailment, observed } from '../evaluation/testing/observations.ts';
import { isWrong } from '../labels/wrong.ts';
import { scoredWith } from './scored.ts';

it('a definition is answered under every threshold, right or wrong like any other answer', () => {
  const { score } = byEntailment(0);
  const wrong = (each: ReturnType<typeof observed>) => isWrong(each, { kind: 'em' });
  const scored = (right: boolean, more: object) =>
    scoredWith(score, { ...observed({ u: 0.9, right }), ...more }, wrong);
  expect(scored(true, { defined: true })).toMatchObject({ U: 0, wrong: false, asked: false });
  expect(scored(false, { defined: true })).toMatchObject({ U: 0, wrong: true });
  expect(scored(true, {}).U).toBe(0.9);
  expect(scored(true, { defined: true, error: 'SCORING_FAILED' })).toMatchObject({ U: null, act: null });
});
