import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ambiguity,
  answerability,
  confidence,
  cosineConflict,
  coverage,
  expectedResolution,
  incompleteness,
  resolutionRate,
} from './measures.ts';

const count = fc.nat(1000);
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const inUnit = (value: number | null): boolean => value === null || (value >= 0 && value <= 1);

describe('incompleteness and resolution rate', () => {
  it.each([
    [3, 1, 0.25],
    [0, 2, 1],
    [5, 0, 0],
  ])('%i known and %i missing are I = %d', (known, missing, I) => {
    expect(incompleteness(known, missing)).toBe(I);
    expect(resolutionRate(known, missing)).toBe(1 - I);
  });

  it('are null, not 0, when there is nothing to count', () => {
    expect(incompleteness(0, 0)).toBeNull();
    expect(resolutionRate(0, 0)).toBeNull();
    expect(expectedResolution(0, 0, 1, 1)).toBeNull();
  });

  it('add up to one, grow with what is missing and fall with what is known', () => {
    fc.assert(
      fc.property(count, count, (known, missing) => {
        const I = incompleteness(known, missing);
        if (I === null) return known === 0 && missing === 0;
        expect(I + resolutionRate(known, missing)!).toBeCloseTo(1, 12);
        expect(incompleteness(known, missing + 1)!).toBeGreaterThanOrEqual(I);
        expect(incompleteness(known + 1, missing)!).toBeLessThanOrEqual(I);
        return inUnit(I);
      }),
    );
  });

  it('resolving a variable raises rho by what was expected of a certain reply', () => {
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: 1000 }), (known, missing) => {
        const gained = resolutionRate(known + 1, missing - 1)! - resolutionRate(known, missing)!;
        expect(expectedResolution(known, missing, 1, 1)).toBeCloseTo(gained, 12);
      }),
    );
  });

  it('expect nothing of a reply that never comes, nor more than is missing', () => {
    expect(expectedResolution(3, 1, 1, 0)).toBe(0);
    expect(expectedResolution(3, 1, 9, 1)).toBe(0.25);
  });
});

describe('confidence', () => {
  it('is the best relevance; null when nothing was ranked', () => {
    expect(confidence([0.2, null, 0.7])).toBe(0.7);
    expect(confidence([0])).toBe(0);
    expect(confidence([null])).toBeNull();
    expect(confidence([])).toBeNull();
  });
});

describe('coverage', () => {
  const set = (words: string): Set<string> => new Set(words.split(' '));

  it('counts the terms that some passage holds', () => {
    expect(coverage(set('a b c d'), [set('a x'), set('b a')])).toBe(0.5);
    expect(coverage(set('a'), [])).toBe(0);
    expect(coverage(new Set(), [set('a')])).toBeNull();
  });

  it('knows no more of "constructor" and "__proto__" than is there', () => {
    expect(coverage(set('constructor __proto__'), [set('a')])).toBe(0);
    expect(coverage(set('constructor __proto__'), [set('__proto__')])).toBe(0.5);
  });

  it('never falls when a passage is added', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e')).map((list) => new Set(list));
    fc.assert(
      fc.property(words, fc.array(words), words, (terms, passages, more) => {
        const before = coverage(terms, passages);
        const after = coverage(terms, [...passages, more]);
        return inUnit(after) && (before === null ? after === null : after! >= before);
      }),
    );
  });
});

describe('ambiguity', () => {
  it('is the mean of the heuristics', () => {
    expect(ambiguity({ a: 1, b: 0, c: 0, d: 1, e: 0.5 })).toBe(0.5);
    expect(ambiguity({})).toBe(0);
  });

  it('grows with each heuristic', () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1 }), (values) => {
        const value = ambiguity(Object.fromEntries(values.entries()));
        const more = ambiguity({ ...Object.fromEntries(values.entries()), 0: 1 });
        return value >= 0 && value <= 1 + 1e-12 && more >= value - 1e-12;
      }),
    );
  });
});

describe('the cosine form of conflict', () => {
  const of = (...values: number[]): Float32Array => Float32Array.from(values);

  it('is the mean over pairs, written out', () => {
    const vectors = [of(1, 0), of(0, 2), of(3, 3)];
    const pairs = [0, Math.SQRT1_2, Math.SQRT1_2];
    expect(cosineConflict(vectors)).toBeCloseTo(1 - pairs.reduce((a, b) => a + b) / 3, 6);
  });

  it('is 0 for one direction, 1 for right angles and for opposites, null where there is no pair', () => {
    expect(cosineConflict([of(1, 2), of(2, 4), of(1, 2)])).toBeCloseTo(0, 6);
    expect(cosineConflict([of(1, 0), of(0, 1)])).toBe(1);
    expect(cosineConflict([of(1, 0), of(-1, 0)])).toBe(1);
    expect(cosineConflict([of(1, 0)])).toBeNull();
    expect(cosineConflict([of(1, 0), of(0, 0)])).toBeNull();
    expect(cosineConflict([])).toBeNull();
  });

  it('is in [0, 1] whatever the vectors', () => {
    const vector = fc.array(fc.float({ min: -10, max: 10, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(vector, { maxLength: 8 }), (vectors) =>
        inUnit(cosineConflict(vectors.map((v) => of(...v)))),
      ),
    );
  });
});

describe('joint answerability', () => {
  it('is the product of Eq. 14', () => {
    const A = answerability({ confidence: 0.8, coverage: 0.5, ambiguity: 0.2, conflict: 0.25 });
    expect(A).toBeCloseTo(0.8 * 0.5 * 0.8 * 0.75, 12);
  });

  it.each(['confidence', 'coverage', 'conflict'])('is null when %s was not measured', (name) => {
    expect(answerability({ confidence: 1, coverage: 1, ambiguity: 0, conflict: 0, [name]: null })).toBeNull();
  });

  it('is at most its worst factor, and 1 only for the best case', () => {
    fc.assert(
      fc.property(unit, unit, unit, unit, (conf, cover, amb, conflict) => {
        const A = answerability({ confidence: conf, coverage: cover, ambiguity: amb, conflict })!;
        expect(A).toBeLessThanOrEqual(Math.min(conf, cover, 1 - amb, 1 - conflict) + 1e-12);
        return A >= 0;
      }),
    );
    expect(answerability({ confidence: 1, coverage: 1, ambiguity: 0, conflict: 0 })).toBe(1);
  });
});
