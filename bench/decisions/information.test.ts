import { describe, expect, it } from 'vitest';
import type { PlannerRow } from '../../calibration/index.ts';
import { type Action, PLANNING_FEATURES, type PlannerFeatures } from '../../router/index.ts';
import { isOfType, ofAskedType, typeAsked } from './entity-types.ts';
import { byPrintedRule, bySignals, informationOf } from './information.ts';
import { type Facts, failed } from './observation/facts.ts';
import type { DecisionQuery } from './types.ts';

const planning = (known: Partial<PlannerFeatures>): PlannerFeatures => ({
  ...(Object.fromEntries(PLANNING_FEATURES.map((name) => [name, null])) as PlannerFeatures),
  ...known,
});
const facts = (known: Partial<PlannerFeatures> | null, rest: Partial<Facts> = {}): Facts => ({
  ...failed('q', ''),
  error: null,
  candidate: 'text',
  planning: known === null ? null : planning(known),
  ...rest,
});
const asked = (action: Action, query = 'What?'): DecisionQuery => ({
  ...{ id: 'q', query, action, group: 'g', source: 's', fits: true },
});

describe('H against I(q)', () => {
  it('says how well each tells that answering is wrong, and that asking is right', () => {
    const actions: Action[] = ['ANSWER', 'ANSWER', 'ASK', 'ABSTAIN', 'ASK', 'ABSTAIN'];
    const seen = actions.map((action, i) =>
      // H knows nothing; I is above 0 where answering is wrong, and higher where asking is right.
      facts({ answerEntropy: i % 2, incompleteness: { ANSWER: 0, ABSTAIN: 0.2, ASK: 0.6 }[action] }),
    );
    const found = informationOf(
      actions.map((action) => asked(action)),
      [...seen],
    )!;
    expect(found.n).toBe(6);
    expect(found.told['I(q)']).toEqual({ notAnswer: 1, ask: 1 });
    expect(found.told.H.notAnswer).toBe(0.5);
    expect(found.told.C).toEqual({ notAnswer: null, ask: null });
    expect(found.thirds.map(({ n, inVain }) => [n, inVain])).toEqual([
      [2, 0],
      [2, 1],
      [2, 1],
    ]);
    expect(informationOf([asked('ASK')], [facts(null)])).toBeNull();
  });

  it('decides as printed: nothing missing, something that can be asked for, something that cannot', () => {
    const said = (known: Partial<PlannerFeatures> | null, rest: Partial<Facts> = {}) =>
      byPrintedRule(facts(known, rest), asked('ASK')).action;
    expect(said({ incompleteness: 0 })).toBe('ANSWER');
    expect(said({ incompleteness: 0.5, missingRecoverable: 1 })).toBe('ASK');
    expect(said({ incompleteness: 0.5, missingRecoverable: 0 })).toBe('ABSTAIN');
    expect(said(null)).toBe('ABSTAIN');
    expect(said({ incompleteness: 0 }, { final: 'ASK' })).toBe('ASK');
  });

  it('learns where each action is right, by two signals what one cannot tell', () => {
    const rows = Array.from({ length: 90 }, (_, i): PlannerRow => {
      const [H, I] = [i % 3, Math.floor(i / 3) % 3];
      const action = H === 0 ? 'ANSWER' : I === 0 ? 'ABSTAIN' : 'ASK';
      return { features: planning({ answerEntropy: H, incompleteness: I }), action, group: `g${i}` };
    });
    const right = (names: readonly ('H' | 'I(q)')[]) => {
      const policy = bySignals(names, rows)!;
      return rows.filter(({ features, action }) => policy(facts(features), asked(action)).action === action)
        .length;
    };
    expect(right(['H', 'I(q)'])).toBe(90);
    expect(right(['H'])).toBe(70);
    expect(right(['I(q)'])).toBeLessThan(70);
    expect(bySignals(['H'], [])).toBeNull();
    // Where no row lies.
    expect(bySignals(['H'], rows)!(facts({}), asked('ASK')).action).toBe('ANSWER');
    expect(bySignals(['H'], rows)!(facts(null), asked('ASK')).action).toBe('ABSTAIN');
  });
});

describe('entity types', () => {
  it('are read off the question', () => {
    expect(typeAsked('How many stations are there?')).toBe('number');
    expect(typeAsked('In what year was it built?')).toBe('time');
    expect(typeAsked('Where is the office?')).toBe('name');
    expect(typeAsked('Why does it fail?')).toBeNull();
  });

  it('tell a text of another kind', () => {
    expect([isOfType('twelve', 'number'), isOfType('many', 'number')]).toEqual([true, false]);
    expect([isOfType('in May', 'time'), isOfType('the north', 'time')]).toEqual([true, false]);
    expect([isOfType('Ada Lovelace', 'name'), isOfType('a station', 'name')]).toEqual([true, false]);
  });

  it('keep from answering with it, and with nothing else', () => {
    const policy = (text: string, query: string) =>
      ofAskedType(() => ({ action: 'ANSWER', text }))(facts({}), { query }).action;
    expect(policy('the north', 'When was it built?')).toBe('ABSTAIN');
    expect(policy('1931', 'When was it built?')).toBe('ANSWER');
    expect(policy('the north', 'Why?')).toBe('ANSWER');
    expect(ofAskedType(() => ({ action: 'ASK', text: 'x' }))(facts({}), { query: 'When?' }).action).toBe(
      'ASK',
    );
  });
});
