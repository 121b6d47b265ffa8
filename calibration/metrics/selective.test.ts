import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { augrc, aurc, excessAurc, riskAtCoverage, riskCoverage, type SelectiveItem } from './selective.ts';

/** `right` items without loss, then `wrong` ones, in order of uncertainty. */
const ranked = (right: number, wrong: number, reverse = false): SelectiveItem[] =>
  Array.from({ length: right + wrong }, (_, i) => ({
    uncertainty: reverse ? -i : i,
    loss: i < right ? 0 : 1,
  }));

const items = fc.array(
  fc.record({
    uncertainty: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
    loss: fc.constantFrom(0, 0.25, 1),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('areas in closed form', () => {
  it('is nothing without loss and everything with nothing else', () => {
    expect(aurc(ranked(10, 0))).toBe(0);
    expect(augrc(ranked(10, 0))).toBe(0);
    expect(aurc(ranked(0, 10))).toBe(1);
    expect(augrc(ranked(0, 10))).toBe(0.5);
  });

  it('a perfect ranking loses e + (1 - e) ln(1 - e) and e^2 / 2', () => {
    const perfect = ranked(70_000, 30_000);
    expect(aurc(perfect)).toBeCloseTo(0.3 + 0.7 * Math.log(0.7), 4);
    expect(augrc(perfect)).toBeCloseTo(0.3 ** 2 / 2, 10);
    expect(excessAurc(perfect)).toBe(0);
  });

  it('a ranking that knows nothing (all tied) loses the error rate, and half of it', () => {
    const tied = ranked(70, 30).map(({ loss }) => ({ loss, uncertainty: 1 }));
    expect(aurc(tied)).toBeCloseTo(0.3, 12);
    expect(augrc(tied)).toBeCloseTo(0.15, 12);
  });

  it('the worst ranking loses -e ln(e) more than e', () => {
    expect(aurc(ranked(70_000, 30_000, true))).toBeCloseTo(0.3 - 0.3 * Math.log(0.3), 4);
  });

  it('has no value without items', () => {
    expect([aurc([]), augrc([]), excessAurc([]), riskAtCoverage([], 0.5)]).toEqual([null, null, null, null]);
  });
});

describe('ties and missing uncertainty', () => {
  it('gives the same whatever the order of the input', () => {
    fc.assert(
      fc.property(items, (list) => {
        const back = [...list].reverse();
        expect(aurc(back)).toBeCloseTo(aurc(list)!, 12);
        expect(augrc(back)).toBeCloseTo(augrc(list)!, 12);
        expect(excessAurc(list)).toBeGreaterThanOrEqual(-1e-12);
        expect(riskCoverage(list).at(-1)!.coverage).toBe(1);
      }),
    );
  });

  it('is the mean over all orders of the tied items', () => {
    const orders = [
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 0],
    ].map((losses) => aurc(losses.map((loss, uncertainty) => ({ loss, uncertainty })))!);
    const tied = aurc([0, 1, 1].map((loss) => ({ loss, uncertainty: 7 })));
    expect(tied).toBeCloseTo(orders.reduce((a, b) => a + b) / 3, 12);
  });

  it('answers what could not be measured last and keeps it in the denominator', () => {
    const list = [
      { uncertainty: null, loss: 1 },
      { uncertainty: 1e9, loss: 0 },
    ];
    expect(riskCoverage(list)).toEqual([
      { coverage: 0.5, risk: 0, generalised: 0 },
      { coverage: 1, risk: 0.5, generalised: 0.5 },
    ]);
  });

  it('refuses what is no number', () => {
    expect(() => aurc([{ uncertainty: Number.NaN, loss: 0 }])).toThrow(RangeError);
    expect(() => aurc([{ uncertainty: 1, loss: 1.5 }])).toThrow(RangeError);
  });
});

describe('riskAtCoverage', () => {
  it('takes the least uncertain share', () => {
    expect(riskAtCoverage(ranked(80, 20), 0.8)).toEqual({ risk: 0, answered: 80, threshold: 79, tied: 1 });
    expect(riskAtCoverage(ranked(80, 20), 1)!.risk).toBe(0.2);
    expect(riskAtCoverage(ranked(80, 20), 0)!.answered).toBe(1);
  });

  it('shares a straddling tie out evenly and says how large it is', () => {
    const list = [0, 1, 1, 0].map((loss) => ({ loss, uncertainty: 3 }));
    expect(riskAtCoverage(list, 0.5)).toEqual({ risk: 0.5, answered: 2, threshold: 3, tied: 4 });
  });
});
