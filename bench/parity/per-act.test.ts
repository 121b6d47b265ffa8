import { describe, expect, it } from 'vitest';
import { aurc, LEAST_EXAMPLES, type Scored } from '../../calibration/index.ts';
import { seededRandom } from '../../common/index.ts';
import type { Act } from '../../profiles/index.ts';
import { byCoverage, byRisk, byUncertainty, type Order } from './per-act.ts';

/** `n` examples of an act with U = low, …, high in equal steps. */
function ladder(act: Act, n: number, low: number, high: number): Scored[] {
  return Array.from({ length: n }, (_, i) => ({
    act,
    U: low + ((high - low) * i) / (n - 1),
    wrong: false,
  }));
}

describe('by coverage', () => {
  // FACT is certain, QUANTITY is not: 99 of each, so that ranks are hundredths.
  const order = byCoverage([...ladder('FACT', 99, 0, 0.49), ...ladder('QUANTITY', 99, 0.5, 0.99)]);

  it('is the rank among the scores of the act, linear in between', () => {
    // 0.1 is the 21st of the FACT scores: 20 lie below it.
    expect(order('FACT', 0.1)).toBeCloseTo(0.21, 10);
    expect(order('FACT', 0.1025)).toBeCloseTo(0.215, 10);
    expect(order('QUANTITY', 0.6)).toBeCloseTo(0.21, 10);
    expect(order('QUANTITY', 0.25)).toBeCloseTo(0.005, 10);
    expect(order('FACT', 1)).toBeCloseTo(1, 10);
  });

  it('answers every act to the same share, where one tau for all answers one act first', () => {
    const fresh = [...ladder('FACT', 501, 0, 0.49), ...ladder('QUANTITY', 501, 0.5, 0.99)];
    const first = (by: Order) =>
      fresh
        .map(({ act, U }) => ({ act, at: by(act!, U!) }))
        .sort((a, b) => a.at - b.at)
        .slice(0, 501)
        .filter(({ act }) => act === 'FACT').length;
    expect(first(byUncertainty)).toBe(501);
    expect(Math.abs(first(order) - 250)).toBeLessThanOrEqual(2);
  });

  it('leaves room for what no threshold answers', () => {
    const closed = ladder('FACT', 99, 0, 0.49).map((item): Scored => ({ ...item, U: null }));
    const half = byCoverage([...ladder('FACT', 100, 0, 1), ...closed]);
    expect(half('FACT', 1)).toBeCloseTo(100 / 200, 10);
  });

  it('sends an act with too few examples to its family, then to everything', () => {
    const few = ladder('VERIFICATION', LEAST_EXAMPLES - 1, 0.9, 1);
    const family = byCoverage([...few, ...ladder('FACT', 60, 0, 0.5), ...ladder('QUANTITY', 99, 0, 1)]);
    // All 60 of FACT lie below, and the first of its own stands at 0.9: family ranks, of 60 + 49 + 1.
    expect(family('VERIFICATION', 0.9)).toBeCloseTo(61 / (60 + LEAST_EXAMPLES), 10);
    const alone = byCoverage([...ladder('OPINION', 3, 0.9, 1), ...ladder('QUANTITY', 99, 0, 0.5)]);
    expect(alone('OPINION', 0.9)).toBeCloseTo(100 / 103, 10);
    expect(alone('COMPARISON', 0.9)).toBeCloseTo(100 / 103, 10);
  });

  it('is U itself without any example', () => {
    expect(byCoverage([])('FACT', 0.3)).toBeCloseTo(0.3, 12);
    expect(byRisk([])('FACT', 0.3)).toBe(0.3);
  });

  it('never turns the order within an act around, ties included', () => {
    const random = seededRandom(2);
    const coarse = Array.from({ length: 300 }, (): Scored => {
      const U = Math.round(random() * 8) / 8;
      return { act: 'FACT', U, wrong: random() < U };
    });
    for (const by of [byCoverage(coarse), byRisk(coarse)]) {
      let before = -1;
      for (let U = 0; U <= 1; U += 1 / 64) {
        const at = by('FACT', U);
        expect(at).toBeGreaterThanOrEqual(before);
        before = at;
      }
    }
  });
});

describe('by risk', () => {
  /** FACT: wrong with chance U / 4. QUANTITY: wrong with chance 1/2 + U / 2. */
  const sampleOf = (n: number, seed: number): Scored[] => {
    const random = seededRandom(seed);
    return Array.from({ length: n }, (_, i): Scored => {
      const U = random();
      const risk = i % 2 === 0 ? U / 4 : 0.5 + U / 2;
      return { act: i % 2 === 0 ? 'FACT' : 'QUANTITY', U, wrong: random() < risk };
    });
  };
  const test = sampleOf(4_000, 8);
  const areaBy = (order: Order) =>
    aurc(test.map(({ act, U, wrong }) => ({ uncertainty: order(act!, U!), loss: wrong ? 1 : 0 })))!;

  it('answers the act with fewer errors first, and so lowers the area, which equal coverage cannot', () => {
    const calibrate = sampleOf(2_000, 7);
    const order = byRisk(calibrate);
    expect(order('FACT', 1)).toBeLessThan(order('QUANTITY', 0));
    expect(areaBy(order)).toBeLessThan(areaBy(byUncertainty) - 0.05);
    expect(Math.abs(areaBy(byCoverage(calibrate)) - areaBy(byUncertainty))).toBeLessThan(0.02);
  });

  it('passes over an act without errors, and one in which more U goes with fewer errors', () => {
    const odd = sampleOf(600, 3).map((item): Scored => {
      if (item.act === 'FACT') return { ...item, wrong: false };
      return { ...item, wrong: item.U! < 0.5 };
    });
    // Neither act nor family has a curve, and over everything U points the wrong way: U decides.
    expect(byRisk(odd)('FACT', 0.25)).toBe(0.25);
    expect(byRisk(odd)('QUANTITY', 0.25)).toBe(0.25);
  });
});
