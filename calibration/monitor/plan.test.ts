import { describe, expect, it } from 'vitest';
import { clopperPearson } from '../metrics/proportions.ts';
import { limitsByDocument } from './documents.ts';
import { type Baseline, planOf } from './plan.ts';

const counts = (n: number, answered: number, judged: number, wrong: number) => ({
  n,
  answered,
  judged,
  wrong,
  promisedRisk: null,
  byDocument: null,
});
const baseline: Baseline = {
  hash: 'h',
  all: counts(300, 200, 150, 30),
  acts: { FACT: counts(250, 180, 140, 25), QUANTITY: counts(29, 15, 10, 5) },
};
const options = { alpha: 0.1, least: 30, slack: 0 };

describe('the plan', () => {
  it('watches coverage both ways and risk one way, for all and for every act that is large enough', () => {
    const { watches, unwatched } = planOf(baseline, options);
    expect(watches.map(({ act, figure, direction }) => `${act} ${figure} ${direction}`)).toEqual([
      'null coverage down',
      'null coverage up',
      'null risk up',
      'FACT coverage down',
      'FACT coverage up',
      'FACT risk up',
    ]);
    expect(unwatched).toEqual([{ act: 'QUANTITY', n: 29 }]);
  });

  it('shares alpha: half for the bounds, half for the stream', () => {
    const { watches, threshold, meanThreshold } = planOf(baseline, options);
    expect(threshold).toBeCloseTo(6 / 0.05, 9);
    expect(meanThreshold).toBeCloseTo(20, 9);
    const level = 1 - (2 * 0.05) / 6;
    expect(watches[1]!.bound).toBeCloseTo(clopperPearson(200, 300, level)!.high, 12);
    expect(watches[0]!.bound).toBeCloseTo(clopperPearson(200, 300, level)!.low, 12);
    expect(watches[2]!.bound).toBeCloseTo(clopperPearson(30, 150, level)!.high, 12);
  });

  it('adds a watch on a promised risk, never stricter than what the test split leaves open', () => {
    const promised = (level: number) => {
      const all = { ...baseline.all, promisedRisk: level };
      return planOf({ ...baseline, all, acts: {} }, options).watches.slice(2);
    };
    const [realised, strict] = promised(0.05);
    expect(strict).toMatchObject({ against: 'promised', bound: realised!.bound });
    expect(promised(0.5)[1]!.bound).toBe(0.5);
  });

  it('moves every bound out by the slack, and not beyond what a share can be', () => {
    const bounds = (slack: number) =>
      planOf(baseline, { ...options, slack }).watches.map(({ bound }) => bound);
    const without = bounds(0);
    expect(bounds(0.05).slice(0, 2)).toEqual([without[0]! - 0.05, without[1]! + 0.05]);
    expect(bounds(0.9).slice(0, 2)).toEqual([0, 1]);
  });

  it('watches nothing where there was nothing to learn from', () => {
    expect(planOf({ hash: 'h', all: counts(0, 0, 0, 0), acts: {} }, options).watches).toEqual([]);
  });
});

describe('where documents are counted', () => {
  const coverage = { documents: 40, value: 0.7, low: 0.6, high: 0.8 };
  const risk = { documents: 38, value: 0.2, low: 0.1, high: 0.3 };
  const planned = (
    counted: { answered?: number; wrong?: number; failed?: number; coverage?: typeof coverage } = {},
  ) => {
    const { answered = 700, wrong = 140, failed = 0 } = counted;
    const byDocument = { coverage: counted.coverage ?? coverage, risk, failed };
    const all = { ...counts(1_000, answered, answered, wrong), byDocument };
    return planOf({ hash: 'h', all, acts: {} }, options);
  };

  it('takes the bounds from the means over documents, and says on how many they rest', () => {
    const { watches, threshold, documents } = planned();
    expect(documents).toBe(40);
    const limits = [coverage, risk].map((mean) => limitsByDocument(mean, 1 / threshold));
    expect(watches.map(({ bound }) => bound)).toEqual([limits[0]!.low, limits[0]!.high, limits[1]!.high]);
    expect(watches.map(({ reference }) => reference.documents)).toEqual([
      { n: 40, mean: 0.7 },
      { n: 40, mean: 0.7 },
      { n: 38, mean: 0.2 },
    ]);
    expect(planOf(baseline, options).documents).toBeNull();
  });

  it('makes room for streams in which documents weigh as their questions do', () => {
    const [down, up, risen] = planned().watches;
    const heavier = planned({ answered: 750, wrong: 165 }).watches;
    expect(heavier[0]!.bound).toBeCloseTo(down!.bound, 9);
    expect(heavier[1]!.bound).toBeCloseTo(up!.bound + 0.05, 9);
    expect(heavier[2]!.bound).toBeCloseTo(risen!.bound + 0.02, 9);
    const lighter = planned({ answered: 650, wrong: 110 }).watches;
    expect(lighter.map(({ bound }) => bound)).toEqual([
      expect.closeTo(down!.bound - 0.05, 9),
      up!.bound,
      risen!.bound,
    ]);
  });

  it('takes what failed out of the upper bound on coverage', () => {
    const [down, up, risen] = planned().watches;
    const failed = planned({ failed: 100 }).watches;
    expect(failed.map(({ bound }) => bound)).toEqual([
      down!.bound,
      expect.closeTo(up!.bound * 1.1, 9),
      risen!.bound,
    ]);
  });

  it('has no bounds to alarm by where the interval is all there is', () => {
    const { watches } = planned({ coverage: { documents: 1, value: 0.7, low: 0, high: 1 } });
    expect(watches.slice(0, 2).map(({ bound }) => bound)).toEqual([0, 1]);
  });
});

it('bounds an act of which none was answered in closed form', () => {
  const { watches, threshold } = planOf({ hash: 'h', all: counts(50, 0, 0, 0), acts: {} }, options);
  expect(watches).toHaveLength(2);
  expect(watches[1]!.bound).toBeCloseTo(1 - (1 / threshold) ** (1 / 50), 9);
  expect(watches[0]!.bound).toBe(0);
});
