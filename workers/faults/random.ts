import { createHash } from 'node:crypto';

/** Numbers in [0, 1). */
export type Random = () => number;

/** The same numbers for the same seed: a run can be had again, as far as processes let it. */
export function seededRandom(seed: string): Random {
  let drawn = 0;
  return () => {
    const digest = createHash('sha256').update(`${seed} ${drawn++}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

export function randomIn(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}
