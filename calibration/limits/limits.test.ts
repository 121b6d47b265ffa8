import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../common/index.ts';
import { fitLimit } from './fit.ts';
import { fitMixture, limitOf, type Point, probabilityWithin } from './mixture.ts';

/** A number of the normal distribution (Box and Muller). */
function normal(random: () => number, mean: number, deviation: number): number {
  return mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function stream(n: number, share: number, labelled: number, seed: number): Point[] {
  const random = seededRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const within = random() < share;
    const value = within ? normal(random, 0.3, 0.08) : normal(random, 0.7, 0.1);
    return { value, within: i < labelled ? within : null };
  });
}

describe('two kinds of queries in one stream', () => {
  it('are found again, with labels and without', () => {
    for (const labelled of [0, 30, 2000]) {
      const { within, beyond } = fitMixture(stream(2000, 0.8, labelled, 1))!;
      expect(within.mean).toBeCloseTo(0.3, 1);
      expect(within.deviation).toBeCloseTo(0.08, 1);
      expect(within.share).toBeCloseTo(0.8, 1);
      expect(beyond.mean).toBeCloseTo(0.7, 1);
    }
  });

  it('have a limit under which 98 of 100 of the first kind lie', () => {
    const all = stream(20_000, 0.8, 20_000, 2);
    const limit = limitOf(fitMixture(all)!);
    const own = all.filter(({ within }) => within);
    expect(own.filter(({ value }) => value <= limit).length / own.length).toBeCloseTo(0.98, 2);
  });

  it('are as likely as the ratio of their densities says', () => {
    const half = { mean: 0, deviation: 1, share: 0.5 };
    const mixture = { within: half, beyond: { ...half, mean: 2 } };
    expect(probabilityWithin(mixture, 1)).toBeCloseTo(0.5, 12);
    expect(probabilityWithin(mixture, 0)).toBeCloseTo(1 / (1 + Math.exp(-2)), 12);
  });

  it('are not told apart by less than eight points, and do not break where all are the same', () => {
    expect(fitMixture(stream(7, 0.8, 3, 1))).toBeNull();
    const same = Array.from({ length: 20 }, (): Point => ({ value: 0.4, within: null }));
    expect(limitOf(fitMixture(same)!)).toBeCloseTo(0.44, 2);
  });
});

describe('a limit of a collection', () => {
  const rows = stream(400, 0.8, 100, 3).map(({ value, within }) => ({
    distance: value,
    answered: within === true,
  }));

  it('lets nearly all through that are answered, and few of the others', () => {
    const { distance, queries, beyond, answeredBeyond } = fitLimit('handbook', rows)!;
    expect(queries).toBe(400);
    expect(distance).toBeCloseTo(0.3 + 2.054 * 0.08, 1);
    expect(answeredBeyond).toBeLessThan(6);
    expect(beyond).toBeGreaterThan(60);
  });

  it('is none where too little is known', () => {
    expect(fitLimit('handbook', rows.slice(0, 40)).distance).toBeNull();
    const unknown = rows.map(({ distance }) => ({ distance, answered: false }));
    expect(fitLimit('handbook', unknown)).toMatchObject({ distance: null, answered: 0 });
  });
});
