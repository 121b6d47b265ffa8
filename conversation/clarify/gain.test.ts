import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entropy, expectedGain } from './gain.ts';

const voice = fc.record({
  p: fc.double({ min: 0, max: 1, noNaN: true }),
  answer: fc.nat(3),
  cell: fc.constantFrom('a', 'b', '__proto__', null),
});

describe('entropy', () => {
  it.each([
    [[1], 0],
    [[1, 1], 1],
    [[2, 2, 2, 2], 2],
    [[0.5, 0.25, 0.25], 1.5],
    [[], 0],
    [[0, 0], 0],
  ])('of %j is %d bits', (weights, bits) => {
    expect(entropy(weights)).toBeCloseTo(bits, 12);
  });
});

describe('expectedGain', () => {
  it('is the whole entropy when a reply tells the answer', () => {
    const voices = [
      { p: 0.5, answer: 0, cell: 'a' },
      { p: 0.25, answer: 1, cell: 'b' },
      { p: 0.25, answer: 2, cell: 'c' },
    ];
    expect(expectedGain(voices)).toBeCloseTo(1.5, 12);
  });

  it('is 0 when the values go across the answers, or there is one answer, or none', () => {
    const across = [0, 1].flatMap((answer) => ['a', 'b'].map((cell) => ({ p: 0.25, answer, cell })));
    expect(expectedGain(across)).toBeCloseTo(0, 12);
    expect(expectedGain(across.map((one) => ({ ...one, answer: 0 })))).toBe(0);
    expect(expectedGain([])).toBe(0);
  });

  it('is what is left, written out, when one cell stays mixed', () => {
    const voices = [
      { p: 0.5, answer: 0, cell: 'a' },
      { p: 0.25, answer: 1, cell: null },
      { p: 0.25, answer: 2, cell: null },
    ];
    expect(expectedGain(voices)).toBeCloseTo(1.5 - 0.5 * 1, 12);
  });

  it('lies between 0 and the entropy, and a finer split never lowers it', () => {
    fc.assert(
      fc.property(fc.array(voice, { maxLength: 12 }), (voices) => {
        const gain = expectedGain(voices);
        const masses = new Map<number, number>();
        for (const { p, answer } of voices) masses.set(answer, (masses.get(answer) ?? 0) + p);
        expect(gain).toBeGreaterThanOrEqual(0);
        expect(gain).toBeLessThanOrEqual(entropy(masses.values()) + 1e-9);
        const finer = voices.map((one, i) => ({ ...one, cell: `${one.cell} ${i % 2}` }));
        expect(expectedGain(finer)).toBeGreaterThanOrEqual(gain - 1e-9);
      }),
    );
  });
});
