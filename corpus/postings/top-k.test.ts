import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TopK } from './top-k.ts';

it('keeps what a full sort keeps, ties by ordinal, whatever the order of arrival', () => {
  const pairs = fc.uniqueArray(
    fc.record({ ordinal: fc.nat(500), score: fc.integer({ min: -3, max: 3 }).map((n) => n / 3) }),
    { selector: (pair) => pair.ordinal, maxLength: 60 },
  );
  fc.assert(
    fc.property(pairs, fc.nat(20), (all, k) => {
      const best = new TopK(k);
      for (const { ordinal, score } of all) best.offer(ordinal, score);
      const sorted = [...all].sort((a, b) => b.score - a.score || a.ordinal - b.ordinal);
      expect(best.sorted()).toEqual(sorted.slice(0, k));
      expect(best.bar).toBe(
        all.length < k ? Number.NEGATIVE_INFINITY : k === 0 ? Number.POSITIVE_INFINITY : sorted[k - 1]!.score,
      );
    }),
  );
});
