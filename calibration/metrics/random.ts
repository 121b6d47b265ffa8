/** A stream of numbers in [0, 1). Passed in wherever chance is needed, so that every figure can be had again. */
export type Random = () => number;

/**
 * Small seeded generator: a 32-bit Weyl sequence through a multiply-xorshift mixer. Good enough for resampling
 * and sampling, not for secrets.
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
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
