import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BRANCHES, GENRES } from '../../profiles/index.ts';
import { fuse, order } from './fusion.ts';
import { trecLines } from './trec.ts';

const score = fc.double({ min: -1, max: 1, noNaN: true });
const branchScores = fc.dictionary(fc.constantFrom(...BRANCHES), fc.double({ min: 0, max: 1, noNaN: true }));

describe('fuse', () => {
  it('stays in [0, 1] and falls with no score', () => {
    fc.assert(
      fc.property(score, score, branchScores, score, score, branchScores, (l1, d1, b1, l2, d2, b2) => {
        const higher = Object.fromEntries(
          BRANCHES.map((name) => [name, Math.max(b1[name] ?? 0, b2[name] ?? 0)]),
        );
        const low = fuse(l1, d1, b1);
        const high = fuse(Math.max(l1, l2), Math.max(d1, d2), higher);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1 + 1e-12);
        expect(high).toBeGreaterThanOrEqual(low - 1e-12);
      }),
    );
  });

  it('is absolute: nothing found scores nothing, and a specialised branch only lifts', () => {
    expect(fuse(0, 0, {})).toBe(0);
    expect(fuse(0, -0.3, {})).toBe(0);
    expect(fuse(1, 1, {})).toBe(1);
    expect(fuse(0.4, 0.4, { quantity: 0.5 })).toBeGreaterThan(fuse(0.4, 0.4, {}));
    expect(fuse(0.4, 0.4, { lexical: 1, dense: 1 })).toBe(fuse(0.4, 0.4, {}));
  });
});

const candidates = fc.uniqueArray(
  fc.record({
    ordinal: fc.nat(99),
    fused: fc.integer({ min: 0, max: 8 }).map((n) => n / 8),
    genre: fc.constantFrom(...GENRES),
  }),
  { selector: ({ ordinal }) => ordinal, maxLength: 25 },
);
const genres = fc.record({
  preference: fc.record(
    Object.fromEntries(GENRES.map((genre) => [genre, fc.constantFrom(0, 0.5, 1)])) as Record<
      (typeof GENRES)[number],
      fc.Arbitrary<number>
    >,
  ),
  weight: fc.constantFrom(0, 0.1, 1),
  floor: fc.constantFrom(0, 0.3, 0.5, 1),
});
describe('order', () => {
  it('keeps every candidate and fills the floor of every prefix without looking at genre', () => {
    fc.assert(
      fc.property(candidates, genres, (some, preferred) => {
        const ordered = order(some, preferred).map(({ ordinal }) => ordinal);
        const plain = [...some]
          .sort((a, b) => b.fused - a.fused || a.ordinal - b.ordinal)
          .map(({ ordinal }) => ordinal);
        expect([...ordered].sort()).toEqual([...plain].sort());
        for (let n = 1; n <= plain.length; n++) {
          const prefix = new Set(ordered.slice(0, n));
          const owed = plain.slice(0, Math.ceil(preferred.floor * n - 1e-9));
          expect(owed.every((ordinal) => prefix.has(ordinal))).toBe(true);
        }
      }),
    );
  });

  it('prefers what it is told to, and only above the floor', () => {
    const some = [0.9, 0.8, 0.7, 0.6].map((fused, ordinal) => ({
      ordinal,
      fused,
      genre: ordinal > 1 ? ('steps' as const) : ('narrative' as const),
    }));
    const preference = { ...Object.fromEntries(GENRES.map((g) => [g, 0])), steps: 1 } as Record<
      (typeof GENRES)[number],
      number
    >;
    const ordinals = (floor: number) =>
      order(some, { preference, weight: 0.25, floor }).map(({ ordinal }) => ordinal);
    expect(ordinals(0)).toEqual([2, 0, 3, 1]);
    expect(ordinals(0.5)).toEqual([0, 2, 1, 3]);
    expect(ordinals(1)).toEqual([0, 1, 2, 3]);
    expect(order(some, { preference, weight: 0.25, floor: 0 })[0]!.fused).toBeCloseTo(0.95, 12);
  });
});

describe('trecLines', () => {
  it('gives a document the place of its best passage and scores that fall from line to line', () => {
    const ranked = [
      { docId: 'a', passageId: 'a#1', score: 0.5 },
      { docId: 'b', passageId: 'b#0', score: 0.75 },
      { docId: 'a', passageId: 'a#0', score: 0.4 },
      { docId: 'c', passageId: 'c#0', score: 0.5 },
    ];
    expect(trecLines('q', ranked, 'run', 'document')).toBe(
      'q Q0 a 1 0.50000000 run\nq Q0 b 2 0.49999999 run\nq Q0 c 3 0.49999998 run\n',
    );
    expect(trecLines('q', ranked.slice(0, 3), 'run', 'passage')).toBe(
      'q Q0 a#1 1 0.50000000 run\nq Q0 b#0 2 0.49999999 run\nq Q0 a#0 3 0.40000000 run\n',
    );
    expect(trecLines('q', [], 'run', 'document')).toBe('');
  });

  it('has six fields whatever the ids hold', () => {
    const docId = 'my file\t\n\u0085\u2028a%20b.md';
    const line = trecLines('q 1', [{ docId, passageId: '', score: 0.1 }], 'a b', 'document');
    expect(line).toBe('q%201 Q0 my%20file%09%0A%C2%85%E2%80%A8a%20b.md 1 0.10000000 a%20b\n');
  });
});
