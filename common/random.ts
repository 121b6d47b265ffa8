/** Chance from a seed: every figure that draws can be had again. For samples and resamples, not for secrets. */

/** A stream of numbers in [0, 1). Passed in wherever chance is needed. */
export type Random = () => number;

/** The same numbers for the same seed on every machine: a 32-bit Weyl sequence through a multiply-xorshift mixer. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** Another generator (mulberry32): the shipped weights of the acts were trained in the order that it gives. */
export function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A number in [low, high). */
export function randomIn(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

/** An integer in [0, bound), each equally likely up to 2^-32. */
export function randomInteger(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

/** `count` distinct items (all of them when there are fewer), chosen by `random`, in their original order. */
export function sample<T>(items: readonly T[], count: number, random: Random): T[] {
  const places = items.map((_, place) => place);
  const taken = Math.min(count, items.length);
  for (let i = 0; i < taken; i++) {
    const j = i + randomInteger(random, items.length - i);
    [places[i], places[j]] = [places[j]!, places[i]!];
  }
  return places
    .slice(0, taken)
    .sort((a, b) => a - b)
    .map((place) => items[place]!);
}

/** The items in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  for (let i = left.length - 1; i > 0; i -= 1) {
    const j = randomInteger(random, i + 1);
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left;
}

/** The items in random order as well, by a number drawn for each: what kept figures were drawn with stays so. */
export function sortedByChance<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
