import { describe, expect, it } from 'vitest';
import { DEFINED, guaranteeOf } from '../../router/decision/parts.ts';
import { thresholdsFor } from '../../router/decision/restricted.ts';
import { provisionalThresholds, type Query, type Thresholds } from '../../router/index.ts';
import { saysRestricted } from './restricted.ts';

const query: Query = { id: 'q', query: 'How long is it?' };
const sentence =
  'NOT_CALIBRATED: no threshold reaches answers to at least 80 % of the queries for DEFINITION.';
const calibrated: Thresholds = {
  ...provisionalThresholds(),
  status: 'CALIBRATED',
  tauFor: (act) => (act === 'DEFINITION' ? null : 0.5),
  sentence: (act) => (act === 'DEFINITION' ? sentence : 'A promise.'),
};
const act = (label: 'FACT' | 'DEFINITION') => ({ label, probabilities: {}, confident: true }) as never;

// What the router says, by its own functions: whoever changes the words there changes them in the monitor.
describe('a restricted decision is known by what the router says of it', () => {
  it.each<[string, Partial<Query>, boolean]>([
    ['filters', { filters: { docId: ['a'] } }, false],
    ['a deadline', { deadlineMs: 500 }, false],
    ['a history', { history: [{ role: 'user', text: 'How tall is it?' }] }, false],
    ['a default', {}, true],
    ['all of them', { filters: { docId: ['a'] }, deadlineMs: 500 }, true],
  ])('with %s, whether or not its act has a threshold', (_, restriction, defaulted) => {
    const thresholds = thresholdsFor({ ...query, ...restriction }, calibrated, defaulted);
    expect(saysRestricted(guaranteeOf(thresholds, act('FACT')))).toBe(true);
    expect(saysRestricted(guaranteeOf(thresholds, act('DEFINITION')))).toBe(true);
  });

  it('and no other one is', () => {
    const thresholds = thresholdsFor(query, calibrated);
    const without = guaranteeOf(thresholds, act('DEFINITION'));
    expect(without).toEqual({ status: 'NOT_CALIBRATED', sentence });
    expect(saysRestricted(without)).toBe(false);
    expect(saysRestricted(guaranteeOf(thresholds, act('FACT')))).toBe(false);
    expect(saysRestricted(DEFINED)).toBe(false);
    expect(saysRestricted(guaranteeOf(thresholdsFor(query, provisionalThresholds()), act('FACT')))).toBe(
      false,
    );
  });
});
