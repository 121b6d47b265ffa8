import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { bootstrapInterval, grouped, pairedDifference } from './intervals.ts';
import {
  AREAS,
  contrastOfAreas,
  contrastOfMeans,
  holm,
  mcnemarExact,
  type PairedSelective,
} from './paired.ts';
import { augrc, aurc, excessAurc, riskAtCoverage } from './selective.ts';

describe('mcnemarExact', () => {
  it('is twice the tail of fair coin tosses', () => {
    expect(mcnemarExact(0, 5)).toBeCloseTo(2 / 32, 14);
    expect(mcnemarExact(1, 9)).toBeCloseTo((2 * (1 + 10)) / 1024, 14);
    expect(mcnemarExact(12, 3)).toBeCloseTo((2 * (1 + 15 + 105 + 455)) / 2 ** 15, 14);
    expect(mcnemarExact(3, 12)).toBe(mcnemarExact(12, 3));
  });

  it('is one where nothing or as much on both sides differs', () => {
    expect(mcnemarExact(0, 0)).toBe(1);
    expect(mcnemarExact(7, 7)).toBe(1);
    expect(mcnemarExact(0, 1)).toBe(1);
  });

  it('neither overflows nor underflows into no number', () => {
    expect(mcnemarExact(0, 3000)).toBe(0);
    // The normal approximation with continuity correction: z = (200 - 1) / sqrt(4000) = 3.147, p = .00165.
    expect(mcnemarExact(2100, 1900)).toBeCloseTo(0.00165, 4);
  });

  it('refuses what is no count', () => {
    expect(() => mcnemarExact(-1, 2)).toThrow(RangeError);
    expect(() => mcnemarExact(Number.NaN, 2)).toThrow(RangeError);
    expect(() => mcnemarExact(1.5, 2)).toThrow(RangeError);
  });
});

describe('holm', () => {
  it('steps down, never back, and not above one', () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    for (const [i, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(adjusted[i]).toBeCloseTo(p, 14);
    expect(holm([0.6, 0.9])).toEqual([1, 1]);
    expect(holm([0.04])).toEqual([0.04]);
    expect(holm([])).toEqual([]);
  });

  it('refuses what is no p-value', () => {
    expect(() => holm([0.1, Number.NaN])).toThrow(RangeError);
    expect(() => holm([-0.1])).toThrow(RangeError);
  });
});

const random = seededRandom(3);
const pairs = Array.from({ length: 90 }, (_, i) => ({
  group: `g${i % 12}`,
  a: i % 17 === 0 ? null : random(),
  b: random() * 0.9,
}));

describe('contrastOfMeans', () => {
  it('has the mean and the interval of pairedDifference', () => {
    const options = { resamples: 300, seed: 5 };
    const contrast = contrastOfMeans(pairs, options);
    const known = pairedDifference(pairs, options);
    expect(contrast).toMatchObject({ n: 90, unscored: known.unscored, groups: 12 });
    expect(contrast.difference).toBeCloseTo(known.mean!, 12);
    expect(contrast.a! - contrast.b!).toBeCloseTo(known.mean!, 12);
    expect(contrast.interval!.low).toBeCloseTo(known.interval!.low, 12);
    expect(contrast.interval!.high).toBeCloseTo(known.interval!.high, 12);
    expect([contrast.aHigher, contrast.bHigher]).toEqual([known.aHigher, known.bHigher]);
  });

  it('has the p-value that all resamples of three groups have', () => {
    // Differences 1, 1, -3: a resample is above 0 only without the third group, with chance (2/3)^3 = 8/27.
    const three = [1, 1, -3].map((d, i) => ({ group: `g${i}`, a: d, b: 0 }));
    const exact = 2 * (8 / 27);
    const standardError = 2 * Math.sqrt((8 / 27) * (19 / 27)) * Math.sqrt(1 / 10_000);
    expect(Math.abs(contrastOfMeans(three).p! - exact)).toBeLessThan(4 * standardError);
  });

  it('sees no difference between a policy and itself, and nothing in a single group', () => {
    const same = pairs.map(({ group, b }) => ({ group, a: b, b }));
    expect(contrastOfMeans(same)).toMatchObject({ difference: 0, p: 1, interval: { low: 0, high: 0 } });
    const single = contrastOfMeans(pairs.map((pair) => ({ ...pair, group: 'one' })));
    expect(single).toMatchObject({ groups: 1, interval: null, p: null });
    expect(contrastOfMeans([])).toMatchObject({ n: 0, a: null, difference: null, p: null });
  });

  it('rejects about as often as it says where nothing differs', () => {
    const runs = 400;
    const noise = seededRandom(11);
    let rejected = 0;
    for (let run = 0; run < runs; run++) {
      const world = Array.from({ length: 40 }, () => noise() - 0.5).flatMap((shift, g) =>
        Array.from({ length: 4 }, () => ({ group: `${g}`, a: shift + noise() - 0.5, b: 0 })),
      );
      if (contrastOfMeans(world, { resamples: 400, seed: run }).p! <= 0.05) rejected++;
    }
    // The percentile bootstrap of 40 groups is a little liberal: nominal .05, within four standard errors of .06.
    expect(Math.abs(rejected / runs - 0.06)).toBeLessThan(4 * Math.sqrt((0.06 * 0.94) / runs));
  });
});

describe('contrastOfAreas', () => {
  const tied = (u: number) => Math.round(u * 10) / 10;
  const items: PairedSelective[] = Array.from({ length: 80 }, (_, i) => ({
    group: `g${i % 9}`,
    a: { uncertainty: i % 13 === 0 ? null : tied(random()), loss: random() < 0.3 ? 1 : 0 },
    b: { uncertainty: tied(random()), loss: random() < 0.5 ? 1 : 0 },
  }));
  const sideOf = (side: 'a' | 'b') => (list: readonly PairedSelective[]) => list.map((item) => item[side]);
  const [as, bs] = [sideOf('a'), sideOf('b')];
  const statistics = {
    AURC: aurc,
    'E-AURC': excessAurc,
    AUGRC: augrc,
    risk: (list: Parameters<typeof aurc>[0]) => riskAtCoverage(list, 0.8)!.risk,
  };

  it.each(AREAS)('has the %s of either policy and the interval of resampled documents', (area) => {
    const options = { resamples: 200, seed: 4 };
    const contrast = contrastOfAreas(items, 0.8, options)[area];
    const of = statistics[area];
    expect(contrast.a).toBeCloseTo(of(as(items))!, 12);
    expect(contrast.b).toBeCloseTo(of(bs(items))!, 12);
    const slow = bootstrapInterval(
      grouped(items, ({ group }) => group),
      (drawn) => of(as(drawn))! - of(bs(drawn))!,
      options,
    );
    expect(contrast.interval!.low).toBeCloseTo(slow!.low, 12);
    expect(contrast.interval!.high).toBeCloseTo(slow!.high, 12);
  });

  it('finds the order that ranks better, and says how sure that is', () => {
    const ranked = items.map(({ group, b }, i) => ({
      group,
      a: { loss: b.loss, uncertainty: b.loss + i / 1e3 },
      b,
    }));
    const { AURC, 'E-AURC': excess, risk } = contrastOfAreas(ranked, 0.5, { resamples: 1_000 });
    expect(excess.a).toBeCloseTo(0, 12);
    expect(AURC.difference).toBeCloseTo(excess.difference!, 12);
    expect(AURC.p).toBeCloseTo(2 / 1_001, 12);
    expect(risk.a).toBeLessThan(risk.b!);
  });

  it('is silent without items and refuses what is no number', () => {
    expect(contrastOfAreas([], 0.8).AURC).toMatchObject({
      n: 0,
      a: null,
      difference: null,
      interval: null,
      p: null,
    });
    const broken = [{ ...items[0]!, a: { uncertainty: Number.NaN, loss: 0 } }];
    expect(() => contrastOfAreas(broken, 0.8)).toThrow(RangeError);
  });
});
