import { describe, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../../common/index.ts';
import { scoreOf } from '../../router/index.ts';
import { foldsOf } from './folds.ts';
import { fitFormula } from './formula.ts';
import type { FitItem } from './items.ts';
import { fitLearned } from './learned.ts';
import { features, world } from './testing/items.ts';

const items = world(
  3_000,
  (random) => ({ D: random(), E: random(), margin: 8 * random() - 4 }),
  ({ margin, E }) => 0.8 * margin! + 2 * E! - 1,
);

describe('the learned score', () => {
  const { score, report } = fitLearned(items);

  it('finds the weights of the world that the examples came from', () => {
    const weight = (name: string) => report.coefficients.find(({ feature }) => feature === name)!;
    // Uniform on an interval of length l: standard deviation l / sqrt(12).
    const margin = weight('margin');
    expect(Math.abs(margin.weight - (0.8 * 8) / Math.sqrt(12))).toBeLessThan(4 * margin.standardError);
    const E = weight('E');
    expect(Math.abs(E.weight - 2 / Math.sqrt(12))).toBeLessThan(4 * E.standardError);
    const D = weight('D');
    expect(Math.abs(D.weight)).toBeLessThan(4 * D.standardError);
    expect(margin.standardError).toBeLessThan(0.15);
    expect(report.leftOut).toContain('fused');
    expect(report.leftOut).not.toContain('margin');
  });

  it('says how likely an answer is right', () => {
    for (const [margin, E] of [
      [-2, 0.2],
      [0, 0.5],
      [1, 0.9],
    ] as const) {
      const truth = 1 / (1 + Math.exp(-(0.8 * margin + 2 * E - 1)));
      const U = scoreOf(score, features({ D: 0.5, E, margin }))!;
      expect(Math.abs(1 - U - truth)).toBeLessThan(0.06);
    }
  });

  it('is judged on groups left out, and beats a formula that lacks what matters', () => {
    expect(report.folds).toBe(5);
    expect(report.quality.augrc).toBeLessThan(fitFormula(items).augrc - 0.02);
    // Knowing the odds of the world itself, no forecast does better than this on average.
    const best = items.reduce((sum, { features: given, wrong }) => {
      const p = 1 / (1 + Math.exp(-(0.8 * given!.margin! + 2 * given!.E! - 1)));
      return sum + (p - (wrong ? 0 : 1)) ** 2;
    }, 0);
    expect(report.quality.brier).toBeGreaterThan(best / items.length - 0.001);
    expect(report.quality.brier).toBeLessThan(best / items.length + 0.01);
  });

  it('makes no ties of its own', () => {
    const Us = items.map(({ features: given }) => scoreOf(score, given!)!);
    expect(new Set(Us).size).toBe(items.length);
    expect(Math.min(...Us)).toBeGreaterThan(0);
    expect(Math.max(...Us)).toBeLessThan(1);
  });

  it('is the same for the same examples in another order, to six digits', () => {
    const again = fitLearned(shuffled(items, seededRandom(5)));
    expect(again.report.ridge).toBe(report.ridge);
    for (const [place, input] of again.score.inputs.entries()) {
      expect(input.weight).toBeCloseTo(score.inputs[place]!.weight, 4);
    }
    expect(fitLearned(items)).toMatchObject({ score, report });
  });
});

describe('the isotonic map', () => {
  it('is there where the regression has the wrong shape, and not where it has the right one', () => {
    // A cliff in E, which no regression on E can follow.
    const cliff = world(
      3_000,
      (random) => ({ E: random() }),
      ({ E }) => (E! > 0.3 ? 2 : -3),
    );
    const steep = fitLearned(cliff);
    expect(steep.score.isotonic).not.toBeNull();
    expect(steep.report.isotonic.with).toBeLessThan(steep.report.isotonic.without);
    expect(steep.report.quality.logLoss).toBe(steep.report.isotonic.with);
    const right = (E: number) => 1 - scoreOf(steep.score, features({ E }))!;
    expect(right(0.5)).toBeCloseTo(1 / (1 + Math.exp(-2)), 1);
    expect(right(0.1)).toBeCloseTo(1 / (1 + Math.exp(3)), 1);

    const few = fitLearned(items.slice(0, 200));
    expect(few.score.isotonic).toBeNull();
    expect(few.report.quality.logLoss).toBe(few.report.isotonic.without);
  });
});

describe('a missing value', () => {
  it('counts by what its absence meant, not as a number', () => {
    // Without D answers are rarely right; D itself says nothing.
    const some = world(
      2_000,
      (random) => ({ D: random() < 0.3 ? null : random(), E: random() }),
      ({ D }) => (D === null ? -2 : 1),
    );
    const { score } = fitLearned(some);
    const D = score.inputs.find(({ feature }) => feature === 'D')!;
    expect(D.missing).toBeLessThan(-2);
    const right = (given: number | null) => 1 - scoreOf(score, features({ D: given, E: 0.5 }))!;
    expect(right(null)).toBeLessThan(0.2);
    expect(right(0.5)).toBeGreaterThan(0.65);
    // E never was missing: nothing was learned of that, and it counts as the worst that was seen, not as average.
    const given = some.flatMap((item) => (item.features === null ? [] : [item.features]));
    const worst = Math.max(...given.map((each) => scoreOf(score, { ...given[0]!, E: each.E })!));
    expect(scoreOf(score, { ...given[0]!, E: null })).toBeCloseTo(worst, 4);
  });
});

describe('too little to learn from', () => {
  const one = (wrong: boolean, group: string): FitItem => ({
    group,
    act: 'FACT',
    features: features({ E: wrong ? 0.1 : 0.9 }),
    wrong,
  });

  it('is refused: no groups to leave out, all right, all wrong, nothing that can be answered', () => {
    expect(() => fitLearned([one(true, 'a'), one(false, 'a')])).toThrow('two groups');
    expect(() => fitLearned([one(false, 'a'), one(false, 'b')])).toThrow('All 2 examples');
    expect(() => fitLearned([one(true, 'a'), one(true, 'b')])).toThrow('are wrong');
    expect(() => fitLearned([{ ...one(true, 'a'), features: null }])).toThrow('not 0');
    expect(() => fitLearned([])).toThrow('not 0');
  });

  it('is fitted on as little as there is, where something can be told', () => {
    const few = ['a', 'b', 'c'].flatMap((group) => [one(true, group), one(false, group)]);
    const { score, report } = fitLearned(few);
    expect(report.folds).toBe(3);
    expect(scoreOf(score, few[0]!.features!)!).toBeGreaterThan(scoreOf(score, few[1]!.features!)!);
  });
});

describe('folds', () => {
  it('keep groups whole, are even, and do not depend on the order', () => {
    const many = Array.from({ length: 97 }, (_, i) => ({ group: `g${i % 13}`, id: i }));
    const { folds, foldOf } = foldsOf(many, 5);
    expect(folds).toBe(5);
    const of = new Map(many.map(({ group }, i) => [group, foldOf[i]]));
    expect(many.every(({ group }, i) => of.get(group) === foldOf[i])).toBe(true);
    const sizes = [0, 1, 2, 3, 4].map((fold) => foldOf.filter((own) => own === fold).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(8);
    const other = shuffled(many, seededRandom(3));
    const again = foldsOf(other, 5).foldOf;
    expect(other.every(({ group }, i) => of.get(group) === again[i])).toBe(true);
  });
});
