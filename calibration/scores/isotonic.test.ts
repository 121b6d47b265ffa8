import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isotonicMap } from './isotonic.ts';

describe('the isotonic map', () => {
  it('pools what goes down', () => {
    // Softened outcomes of 3 right and 2 wrong: 4/5 and 1/4. The two in the middle go down and are pooled.
    const knots = isotonicMap([0.1, 0.4, 0.6, 0.8, 0.9], [false, true, false, true, true]);
    expect(knots).toEqual([
      { x: 0, y: 0 },
      { x: 0.1, y: 0.25 },
      { x: 0.5, y: 0.525 },
      { x: 0.85, y: 0.8 },
      { x: 1, y: 1 },
    ]);
  });

  it('takes equal predictions for one point', () => {
    const knots = isotonicMap([0.3, 0.3, 0.3, 0.3], [true, false, false, false]);
    expect(knots).toEqual([
      { x: 0, y: 0 },
      { x: 0.3, y: Number(((2 / 3 + 3 / 5) / 4).toFixed(6)) },
      { x: 1, y: 1 },
    ]);
  });

  it('rises strictly and never says that anything is certain, whatever it is given', () => {
    const item = fc.record({ p: fc.double({ min: 0, max: 1, noNaN: true }), right: fc.boolean() });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 60 }), (items) => {
        const knots = isotonicMap(
          items.map(({ p }) => p),
          items.map(({ right }) => right),
        );
        expect(knots[0]).toEqual({ x: 0, y: 0 });
        expect(knots.at(-1)).toEqual({ x: 1, y: 1 });
        for (const [place, { x, y }] of knots.entries()) {
          if (place === 0) continue;
          expect(x).toBeGreaterThan(knots[place - 1]!.x);
          expect(y).toBeGreaterThan(knots[place - 1]!.y);
        }
      }),
    );
  });

  it('refuses what is no probability', () => {
    for (const p of [Number.NaN, -0.1, 1.1]) expect(() => isotonicMap([p], [true])).toThrow('[0, 1]');
    expect(() => isotonicMap([], [])).toThrow('at least one');
    expect(() => isotonicMap([0.5], [])).toThrow('as many');
  });
});
