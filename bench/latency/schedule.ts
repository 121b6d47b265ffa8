import type { Random } from '../../common/index.ts';

/** `constant`: every gap the same; `poisson`: gaps drawn from the exponential distribution, as of many users. */
export const ARRIVALS = ['constant', 'poisson'] as const;
export type Arrivals = (typeof ARRIVALS)[number];

/**
 * When each of `n` queries is meant to start, in milliseconds from the beginning, at `rate` a second. The plan is
 * made before anything runs: nothing that is slow can move it, which is what makes the loop open.
 */
export function startTimes(arrivals: Arrivals, rate: number, n: number, random: Random): number[] {
  const gap = 1_000 / rate;
  if (arrivals === 'constant') return Array.from({ length: n }, (_, place) => place * gap);
  let at = 0;
  return Array.from({ length: n }, () => {
    at += -Math.log(1 - random()) * gap;
    return at;
  });
}
