import { describe, expect, it } from 'vitest';
import type { Query } from '../contracts.ts';
import { guaranteeOf } from './parts.ts';
import { provisionalThresholds } from './provisional.ts';
import { thresholdsFor } from './restricted.ts';
import type { Thresholds } from './types.ts';

const query = { id: 'q', query: 'How long is it?' };
const calibrated: Thresholds = {
  ...provisionalThresholds(),
  status: 'CALIBRATED',
  tauFor: () => 0.25,
  askUpTo: () => 0.5,
  sentence: () => 'A promise.',
};

describe('thresholds for one query', () => {
  it('are those of the calibration when nothing restricts the query', () => {
    expect(thresholdsFor(query, calibrated)).toBe(calibrated);
  });

  it.each([
    [{ filters: { docId: ['a'] } }, 'filters'],
    [{ deadlineMs: 500 }, 'a deadline'],
    [{ filters: { docId: ['a'] }, deadlineMs: 500 }, 'filters and a deadline'],
  ])('promise nothing with %j, and keep their bars', (restriction, words) => {
    const found = thresholdsFor({ ...query, ...restriction }, calibrated);
    expect(found.status).toBe('RESTRICTED');
    expect(found.sentence('FACT')).toContain(`RESTRICTED: this query has ${words}, and`);
    expect([found.tauFor('FACT'), found.askUpTo?.('FACT')]).toEqual([0.25, 0.5]);
    expect([found.score, found.limits]).toEqual([calibrated.score, calibrated.limits]);
  });

  it('have no band for asking where none was calibrated', () => {
    const { askUpTo: _, ...plain } = calibrated;
    expect(thresholdsFor({ ...query, deadlineMs: 1 }, plain).askUpTo).toBeUndefined();
  });

  it('leave the provisional rule to say what it says', () => {
    const rule = provisionalThresholds();
    expect(thresholdsFor({ ...query, deadlineMs: 1 }, rule)).toBe(rule);
  });
});

describe('what a decision says of its promise', () => {
  const act = (label: 'FACT' | 'DEFINITION') => ({ label, probabilities: {}, confident: true }) as never;
  const uneven: Thresholds = { ...calibrated, tauFor: (name) => (name === 'DEFINITION' ? null : 0.5) };

  it.each<[string, Partial<Query>, { defaulted?: boolean; several?: boolean }]>([
    ['filters', { filters: { docId: ['a'] } }, {}],
    ['a deadline', { deadlineMs: 500 }, {}],
    ['a history', { history: [{ role: 'user', text: 'How tall is it?' }] }, {}],
    ['a default', {}, { defaulted: true }],
    ['several questions', {}, { several: true }],
  ])('RESTRICTED with %s, whether or not its act has a threshold', (_, restriction, how) => {
    const thresholds = thresholdsFor({ ...query, ...restriction }, uneven, how);
    expect(guaranteeOf(thresholds, act('FACT')).status).toBe('RESTRICTED');
    expect(guaranteeOf(thresholds, act('DEFINITION')).status).toBe('RESTRICTED');
  });

  it('is no restriction where there is none, or no calibration', () => {
    const restricted = { ...query, deadlineMs: 1 };
    expect(guaranteeOf(thresholdsFor(query, uneven), act('FACT')).status).toBe('CALIBRATED');
    expect(guaranteeOf(thresholdsFor(query, uneven), act('DEFINITION')).status).toBe('NOT_CALIBRATED');
    expect(guaranteeOf(thresholdsFor(restricted, provisionalThresholds()), act('FACT')).status).toBe(
      'NOT_CALIBRATED',
    );
  });
});
