import { describe, expect, it } from 'vitest';
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
    expect(found.status).toBe('NOT_CALIBRATED');
    expect(found.sentence('FACT')).toContain(`NOT_CALIBRATED: this query has ${words}, and`);
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
