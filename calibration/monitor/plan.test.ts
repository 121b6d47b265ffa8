import { describe, expect, it } from 'vitest';
import { clopperPearson } from '../metrics/proportions.ts';
import { type Baseline, planOf } from './plan.ts';

const counts = (n: number, answered: number, judged: number, wrong: number) => ({
  n,
  answered,
  judged,
  wrong,
  promisedRisk: null,
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

it('bounds an act of which none was answered in closed form', () => {
  const { watches, threshold } = planOf({ hash: 'h', all: counts(50, 0, 0, 0), acts: {} }, options);
  expect(watches).toHaveLength(2);
  expect(watches[1]!.bound).toBeCloseTo(1 - (1 / threshold) ** (1 / 50), 9);
  expect(watches[0]!.bound).toBe(0);
});
