import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costOf, leastOf } from '../../router/index.ts';
import { always, general, plain, unfitted, utilityOf } from './rules.ts';
import { item } from './testing/items.ts';

const even = { mean: 0, scale: 1, missing: 0 };
/** Spans by `s`, passages by `p`: their logits. */
const FITTED = {
  span: { intercept: 0, inputs: [{ ...even, feature: 's', weight: 1 }], shifts: {} },
  passage: { intercept: 0, inputs: [{ ...even, feature: 'p', weight: 1 }], shifts: { PROCEDURE: 2 } },
  floor: 0.6,
};

describe('the general rule', () => {
  const at = (cautious: number, values: Record<string, number>, given = {}) =>
    general(FITTED, cautious)(item({ values, ...given }));

  it('gives a span that is surely right, else a passage that is worth its risk, else a span that is, else nothing', () => {
    expect(at(0.5, { s: 1, p: 1 })).toBe('span');
    expect(at(0.5, { s: 0.2, p: 0.1 })).toBe('passage');
    expect(at(0.5, { s: 0.2, p: -0.1 })).toBe('span');
    expect(at(0.5, { s: -0.2, p: -0.1 })).toBeNull();
    expect(at(0.5, { s: 1, p: 1 }, { spanOpen: false })).toBe('passage');
    expect(at(0.5, { s: 1, p: 1 }, { closed: 'scope' })).toBeNull();
    expect(at(0.5, { s: -1, p: 1 }, { right: { span: null, passage: null, first: null } })).toBeNull();
  });

  it('knows the acts', () => {
    expect(at(0.5, { s: -9, p: -1 })).toBeNull();
    expect(at(0.5, { s: -9, p: -1 }, { act: 'PROCEDURE' })).toBe('passage');
  });

  it('answers all that is open where a wrong answer costs nothing, and asks for .8 where it costs four', () => {
    expect([costOf(0), costOf(0.5), costOf(1)]).toEqual([0, 1, 4]);
    expect([leastOf(0), leastOf(0.5), leastOf(1)]).toEqual([0, 0.5, 0.8]);
    expect(at(0, { s: -50, p: -50 })).toBe('passage');
    expect(at(1, { s: 1.38, p: 1.38 })).toBeNull();
    expect(at(1, { s: 1.39, p: 0 })).toBe('span');
  });

  it('answers no question that it would not answer when it is less cautious', () => {
    const number = fc.double({ min: -9, max: 9, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, number, number, fc.boolean(), (one, other, s, p, spanOpen) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        if (at(more, { s, p }, { spanOpen }) !== null)
          expect(at(less, { s, p }, { spanOpen })).not.toBeNull();
      }),
    );
  });
});

describe('what it is held against', () => {
  it('answers always, or what is more relevant than not', () => {
    expect(always(item({ closed: 'scope' }))).toBe('passage');
    const relevant = { bestRelevance: 0.5, U: 0.39 };
    expect(plain(item({ values: relevant, closed: 'scope', reason: 'OUT_OF_SCOPE' }))).toBe('first');
    expect(plain(item({ values: relevant, closed: 'coverage', reason: 'TERMS_NOT_COVERED' }))).toBeNull();
    expect(plain(item({ values: { bestRelevance: 0.49 } }))).toBeNull();
    expect(unfitted(item({ values: relevant }))).toBe('passage');
    expect(unfitted(item({ values: { ...relevant, U: 0.38 } }))).toBe('span');
    expect(unfitted(item({ values: relevant, closed: 'scope' }))).toBeNull();
  });

  it('is worth one where it is right, its cost where it is wrong, and nothing where it is silent', () => {
    const wrong = item({ right: { span: false, passage: true, first: null } });
    expect([utilityOf(wrong, 'span', 3), utilityOf(wrong, 'passage', 3), utilityOf(wrong, null, 3)]).toEqual([
      -3, 1, 0,
    ]);
  });
});
