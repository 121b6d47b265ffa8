import { describe, expect, it } from 'vitest';
import { mulberry32, randomInteger, sample, seededRandom, shuffled, sortedByChance } from './random.ts';

describe('seededRandom', () => {
  it('repeats itself for one seed and differs for another', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 5 }, () => random());
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });

  it('is even over [0, 1) in its mean and its deciles', () => {
    const random = seededRandom(7);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) counts[randomInteger(random, 10)]!++;
    // Binomial standard deviation is 95; five of them leave one run in half a million outside.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(475);
  });

  it('samples without repeats, in order, all of them when asked for more', () => {
    const items = Array.from({ length: 100 }, (_, i) => i);
    const drawn = sample(items, 10, seededRandom(3));
    expect(new Set(drawn).size).toBe(10);
    expect([...drawn].sort((a, b) => a - b)).toEqual(drawn);
    expect(sample(items, 1_000, seededRandom(3))).toEqual(items);
  });
});

describe('mulberry32', () => {
  it('gives the numbers that its definition gives', () => {
    const random = mulberry32(1);
    expect([random(), random()]).toEqual([0.6270739405881613, 0.002735721180215478]);
  });
});

describe.each([shuffled, sortedByChance])('%o', (order) => {
  const items = Array.from({ length: 6 }, (_, i) => i);

  it('loses nothing, leaves what it was given, and is the same for the same seed', () => {
    const mixed = order(items, seededRandom(5));
    expect(mixed).not.toEqual(items);
    expect([...mixed].sort()).toEqual(items);
    expect(items).toEqual([0, 1, 2, 3, 4, 5]);
    expect(order(items, seededRandom(5))).toEqual(mixed);
    expect(order([], seededRandom(5))).toEqual([]);
  });

  it('puts each item at each place about as often', () => {
    const random = seededRandom(11);
    const counts = items.map(() => items.map(() => 0));
    for (let i = 0; i < 6_000; i++) {
      for (const [place, item] of order(items, random).entries()) counts[place]![item]! += 1;
    }
    for (const count of counts.flat()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});
