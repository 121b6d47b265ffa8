import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intervalOfMean } from '../thresholds/bets.ts';
import { limitsByDocument } from './documents.ts';

const meanOf = (shares: readonly number[]) => ({
  documents: shares.length,
  value: shares.reduce((sum, share) => sum + share, 0) / shares.length,
  ...intervalOfMean(shares)!,
});

describe('limits by document', () => {
  it('lie never nearer than betting on the shares themselves would put them', () => {
    const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.1, 0.5, 0.9, 1));
    const each = fc.double({ min: 1e-6, max: 0.4, noNaN: true });
    fc.assert(
      fc.property(fc.array(share, { minLength: 1, maxLength: 80 }), each, (shares, wrong) => {
        const { low, high } = limitsByDocument(meanOf(shares), wrong);
        const direct = intervalOfMean(shares, 1 - 2 * wrong)!;
        // Betting has them accurate to 1e-4, outwards.
        expect(low).toBeLessThanOrEqual(direct.low + 1.1e-4);
        expect(high).toBeGreaterThanOrEqual(direct.high - 1.1e-4);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  it('are those of the artifact where these are strict enough, and lie not much further out than betting', () => {
    const shares = Array.from({ length: 60 }, (_, i) => (i % 2 ? 0.6 : 1));
    const { low, high } = meanOf(shares);
    expect(limitsByDocument(meanOf(shares), 0.025)).toEqual({ low: expect.closeTo(low, 12), high });
    const far = limitsByDocument(meanOf(shares), 5e-4);
    expect(far.low).toBeGreaterThan(intervalOfMean(shares, 1 - 1e-3)!.low - 0.03);
    expect(far.high).toBeLessThan(intervalOfMean(shares, 1 - 1e-3)!.high + 0.03);
  });

  it('leave everything open without documents', () => {
    const none = { documents: 0, value: null, low: null, high: null };
    expect(limitsByDocument(none, 0.01)).toEqual({ low: 0, high: 1 });
  });
});
