import { describe, expect, it } from 'vitest';
import { randomInteger, seededRandom } from '../../common/index.ts';
import { type Fraction, parseLevel, partOf } from '../levels/level.ts';
import { holm } from '../metrics/paired.ts';
import { binomialCdf } from './binomial.ts';
import { mostErrors, planned, quantiles } from './plan.ts';
import { riskThreshold, riskThresholds } from './risk.ts';
import { evidenceOfQuestions } from './trials.ts';
import type { Scored } from './types.ts';

const LEVEL = parseLevel('0.05');
const DELTA = parseLevel('0.1');

/** Wrong exactly where said, U growing from 0.001 in steps of 0.001. */
function items(n: number, wrongAt: readonly number[] = []): Scored[] {
  return Array.from({ length: n }, (_, i) => ({
    act: 'FACT',
    U: (i + 1) / 1_000,
    wrong: wrongAt.includes(i),
  }));
}

describe('riskThreshold', () => {
  it('needs 45 answers without an error for 5 % at delta 0.1', () => {
    expect(riskThreshold(items(44), LEVEL, DELTA, [1])).toMatchObject({
      tau: null,
      why: 'too-few',
      answered: 44,
      floor: 45,
      needed: 1,
    });
    expect(riskThreshold(items(45), LEVEL, DELTA, [1])).toMatchObject({
      tau: 1,
      why: 'reached',
      needed: 0,
      n: 45,
    });
  });

  it('stops at the first failure, whatever would pass beyond it', () => {
    // 45 right, then 5 wrong, then 400 right: 0.045 passes, 0.05 fails, 0.45 would pass again.
    const data = items(450, [45, 46, 47, 48, 49]);
    expect(riskThreshold(data, LEVEL, DELTA, [0.45]).tau).toBe(0.45);
    expect(riskThreshold(data, LEVEL, DELTA, [0.045, 0.05, 0.45])).toMatchObject({
      tau: 0.045,
      answered: 45,
      wrong: 0,
    });
    expect(riskThreshold(data, LEVEL, DELTA, [0.045, 0.05, 0.45]).pValue).toBeCloseTo(0.95 ** 45, 14);
  });

  it('errors everywhere: null, and no number of examples would do', () => {
    const data = items(200).map((item) => ({ ...item, wrong: true }));
    expect(riskThreshold(data, LEVEL, DELTA, quantiles(data))).toMatchObject({
      tau: null,
      why: 'errors',
      needed: null,
    });
  });

  it('says how many would do at the rates seen, and so many do', () => {
    const data = items(100, [10, 60, 90]);
    const found = riskThreshold(data, LEVEL, DELTA, [0.1]);
    expect(found).toMatchObject({ tau: null, why: 'errors', answered: 100, wrong: 3 });
    const enough = 100 + found.needed!;
    expect(binomialCdf(Math.ceil(0.03 * enough), enough, 0.05)).toBeLessThanOrEqual(0.1);
    expect(binomialCdf(Math.ceil(0.03 * (enough - 1)), enough - 1, 0.05)).toBeGreaterThan(0.1);
  });

  it('leaves out what has no label and counts it; a closed gate needs none', () => {
    const data: Scored[] = [
      ...items(50),
      { act: 'FACT', U: 0.001, wrong: null },
      { act: 'FACT', U: null, wrong: null },
    ];
    expect(riskThreshold(data, LEVEL, DELTA, [1])).toMatchObject({
      n: 51,
      unlabelled: 1,
      answered: 50,
      tau: 1,
    });
  });

  it('n = 0, only closed gates, and U that is no number', () => {
    expect(riskThreshold([], LEVEL, DELTA, [1])).toMatchObject({ tau: null, why: 'too-few', needed: 45 });
    const closed: Scored[] = [{ act: 'FACT', U: null, wrong: null }];
    expect(riskThreshold(closed, LEVEL, DELTA, [1])).toMatchObject({ tau: null, why: 'gates', needed: null });
    for (const U of [Number.NaN, Infinity, -Infinity]) {
      expect(() => riskThreshold([{ act: 'FACT', U, wrong: false }], LEVEL, DELTA, [1])).toThrow(
        /uncertainty/,
      );
    }
  });
});

describe('riskThresholds', () => {
  it('with one threshold a pool is the procedure of Holm', () => {
    const random = seededRandom(4);
    const seen = new Set<number>();
    for (let trial = 0; trial < 300; trial++) {
      const pools = Array.from({ length: 5 }, () => {
        const n = 60 + randomInteger(random, 60);
        return items(
          n,
          Array.from({ length: randomInteger(random, 4) }, (_, i) => i),
        );
      });
      const share = partOf(DELTA, 5);
      const chains = pools.map((pool) => ({
        evidence: evidenceOfQuestions(pool, LEVEL),
        grid: [1],
        delta: share,
        tested: true,
      }));
      const found = riskThresholds(chains, LEVEL).map(({ tau }) => tau !== null);
      const ps = pools.map((pool) =>
        binomialCdf(pool.filter(({ wrong }) => wrong).length, pool.length, 0.05),
      );
      expect(found).toEqual(holm(ps).map((p) => p <= 0.1));
      seen.add(found.filter(Boolean).length);
    }
    expect(seen.size).toBeGreaterThan(3);
  });

  it('a finished chain hands its share to the others, an untested one neither gives nor takes', () => {
    const chain = (n: number, tested: boolean, delta: Fraction = partOf(DELTA, 2)) => ({
      evidence: evidenceOfQuestions(items(n), LEVEL),
      grid: [1],
      delta,
      tested,
    });
    // 50 answers are enough at delta 0.1 and too few at 0.05 (floor 59).
    expect(riskThresholds([chain(50, true), chain(100, false)], LEVEL)[0]).toMatchObject({
      tau: null,
      floor: 59,
    });
    const [first, second] = riskThresholds([chain(50, true), chain(100, true)], LEVEL);
    expect(first).toMatchObject({ tau: 1, floor: 45, delta: { numerator: 1n, denominator: 10n } });
    expect(second).toMatchObject({ tau: 1, floor: 59 });
    expect(riskThresholds([chain(100, false)], LEVEL)[0]).toMatchObject({ tau: null, why: 'untried' });
  });
});

describe('planned', () => {
  it('begins where enough are answered, before errors set in', () => {
    const tune = items(
      200,
      Array.from({ length: 60 }, (_, i) => 140 + i),
    );
    const { grid, power } = planned(tune, 1, LEVEL, DELTA);
    expect(power).toBeGreaterThan(0.9);
    expect(grid[0]).toBeGreaterThanOrEqual(0.045);
    expect(grid[0]).toBeLessThanOrEqual(0.15);
    expect(grid.at(-1)).toBe(0.2);
    expect([...grid].sort((a, b) => a - b)).toEqual(grid);
  });

  it('without examples, or with errors only, there is no chance', () => {
    expect(planned([], 1, LEVEL, DELTA)).toEqual({ grid: [], power: 0 });
    expect(
      planned(
        items(
          300,
          Array.from({ length: 300 }, (_, i) => i),
        ),
        1,
        LEVEL,
        DELTA,
      ).power,
    ).toBeLessThan(1e-6);
  });
});

describe('mostErrors', () => {
  it('is the last number of errors that passes', () => {
    for (let n = 0; n < 400; n += 7) {
      const most = mostErrors(n, LEVEL, DELTA);
      expect(most < 0 || binomialCdf(most, n, 0.05) <= 0.1).toBe(true);
      expect(binomialCdf(most + 1, n, 0.05)).toBeGreaterThan(0.1);
    }
  });
});
