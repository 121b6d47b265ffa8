import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapInterval, grouped } from './intervals.ts';
import { bootstrapFigures, selectiveFigures } from './resampled.ts';
import { augrc, aurc, excessAurc, riskAtCoverage } from './selective.ts';

const item = fc.record({
  group: fc.constantFrom('a', 'b', 'c', '__proto__'),
  uncertainty: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
  loss: fc.constantFrom(0, 0.3, 1),
});

describe('selectiveFigures', () => {
  it('has the values of the plain formulas', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 40 }), (items) => {
        const { values } = selectiveFigures(items, [0.3, 0.8, 1], { resamples: 1 })!;
        expect(values.aurc).toBeCloseTo(aurc(items)!, 12);
        expect(values.excess).toBeCloseTo(excessAurc(items)!, 12);
        expect(values.augrc).toBeCloseTo(augrc(items)!, 12);
        expect(values.oracle + values.excess).toBeCloseTo(values.aurc, 12);
        expect(values.excess).toBeGreaterThanOrEqual(-1e-12);
        for (const [place, coverage] of [0.3, 0.8, 1].entries())
          expect(values.risks[place]).toBeCloseTo(riskAtCoverage(items, coverage)!.risk, 12);
      }),
    );
  });

  it('has the intervals that drawing and measuring anew would give', () => {
    const items = Array.from({ length: 60 }, (_, i) => ({
      group: `g${i % 7}`,
      uncertainty: (i * 13) % 10,
      loss: (i * 7) % 5 < 2 ? 1 : 0,
    }));
    const { intervals } = selectiveFigures(items, [0.5], { resamples: 300, seed: 4 })!;
    const groups = grouped(items, ({ group }) => group);
    const slow = (statistic: (drawn: readonly (typeof items)[number][]) => number | null) =>
      bootstrapInterval(groups, statistic, { resamples: 300, seed: 4 })!;
    for (const [fast, plain] of [
      [intervals.aurc!, slow(aurc)],
      [intervals.excess!, slow(excessAurc)],
      [intervals.augrc!, slow(augrc)],
      [intervals.risks[0]!, slow((drawn) => riskAtCoverage(drawn, 0.5)!.risk)],
    ] as const) {
      expect(fast.low).toBeCloseTo(plain.low, 10);
      expect(fast.high).toBeCloseTo(plain.high, 10);
    }
  });

  it('all right, all wrong, one item, one group, none', () => {
    const all = (loss: number) => [1, 2, 3].map((uncertainty) => ({ group: 'a', uncertainty, loss }));
    expect(selectiveFigures(all(0), [])!.values).toMatchObject({ aurc: 0, oracle: 0, excess: 0, augrc: 0 });
    expect(selectiveFigures(all(1), [])!.values).toMatchObject({ aurc: 1, oracle: 1, excess: 0, augrc: 0.5 });
    expect(selectiveFigures(all(1), [])!.intervals.aurc).toBeNull();
    const one = selectiveFigures([{ group: 'a', uncertainty: null, loss: 1 }], [0.5])!;
    expect(one.values.risks).toEqual([1]);
    expect(selectiveFigures([], [0.5])).toBeNull();
  });

  it('refuses what is no number', () => {
    expect(() => selectiveFigures([{ group: 'a', uncertainty: Number.NaN, loss: 0 }], [])).toThrow(
      RangeError,
    );
    expect(() => selectiveFigures([{ group: 'a', uncertainty: 1, loss: -0.1 }], [])).toThrow(RangeError);
  });
});

describe('bootstrapFigures', () => {
  it('draws as many groups as there are, and gives no interval where a resample had no figure', () => {
    const totals = new Set<number>();
    const found = bootstrapFigures(3, (counts) => {
      totals.add(counts.reduce((sum, count) => sum + count, 0));
      return [counts[0]!, counts[0] === 0 ? null : 1];
    });
    expect([...totals]).toEqual([3]);
    expect(found).toEqual([{ low: 0, high: expect.any(Number) }, null]);
  });
});
