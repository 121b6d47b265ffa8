import { describe, expect, it } from 'vitest';
import { grade } from '../evaluation/graded.ts';
import { ownRankers } from '../evaluation/rankers.ts';
import { byEntailment, observed } from '../evaluation/testing/observations.ts';
import { isWrong } from '../labels/wrong.ts';
import type { Observation } from '../types.ts';
import { placeOf } from './place.ts';
import { scoredWith } from './scored.ts';

const thresholds = byEntailment(0.1);
const { score } = thresholds;
const wrong = (each: Observation) => isWrong(each, { kind: 'em' });

describe('placeOf', () => {
  const definition: Observation = { ...observed({ u: 0.9 }), defined: true };
  const cases: [string, Observation, number | null][] = [
    ['a candidate', observed({ u: 0.9 }), 0.9],
    ['a definition', definition, 0],
    ['a definition for which no model was asked', { ...definition, features: null }, 0],
    ['a closed gate', observed({ closed: 'NO_RESULTS' }), null],
    ['nothing found to say', observed({ candidate: false }), null],
    ['nothing scored', { ...definition, defined: false, features: null }, null],
    ['a failure', observed({ error: 'SCORING_FAILED' }), null],
    ['a definition that failed', { ...definition, error: 'SCORING_FAILED' }, null],
  ];
  it.each(cases)('%s has one place for thresholds, figures and rankings', (_, observation, place) => {
    expect(placeOf(score, observation)).toBe(place);
    expect(scoredWith(score, observation, wrong).U).toBe(place);
    expect(grade(observation, thresholds, { kind: 'em' }, 'd').place).toBe(place);
    expect(ownRankers(score)[0]!.uncertainty(observation)).toBe(place);
  });

  it.each([
    ['a query to ask about', { ANSWER: 0.1, ASK: 0.85, ABSTAIN: 0.05 }, {}, [0.9, 0.1]],
    ['a query to be silent on', { ANSWER: 0.45, ASK: 0, ABSTAIN: 0.55 }, {}, [0.55, 0.775]],
    ['a definition', { ANSWER: 0.1, ASK: 0, ABSTAIN: 0.9 }, { defined: true }, [0, 0]],
    ['a closed gate', { ANSWER: 0.1, ASK: 0.85, ABSTAIN: 0.05 }, { closed: 'NO_RESULTS' }, [null, null]],
    ['what no planner looked at', null, {}, [null, null]],
  ] as const)('%s has under a planner another place for silence', (_, planned, change, [place, silence]) => {
    const planner = { kind: 'planner', planner: 'h' } as const;
    const observation: Observation = { ...observed({ u: 0.9 }), planned, ...change };
    const graded = grade(observation, { ...thresholds, score: planner }, { kind: 'em' }, 'd');
    const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 12));
    expect(graded).toMatchObject({ place: near(place), silencePlace: near(silence) });
    expect(scoredWith(planner, observation, wrong)).toMatchObject({ U: near(place), silence: near(silence) });
  });

  it('has one place for both under other scores', () => {
    expect(grade(observed({ u: 0.9 }), thresholds, { kind: 'em' }, 'd').silencePlace).toBe(0.9);
    expect(scoredWith(score, observed({ u: 0.9 }), wrong)).not.toHaveProperty('silence');
  });

  it('of a definition holds whether it is right or not', () => {
    const mistaken: Observation = { ...observed({ u: 0.9, right: false }), defined: true };
    expect(scoredWith(score, mistaken, wrong)).toMatchObject({ U: 0, wrong: true, asked: false });
    expect(grade(mistaken, thresholds, { kind: 'em' }, 'd')).toMatchObject({ action: 'ANSWER', wrong: true });
  });
});
