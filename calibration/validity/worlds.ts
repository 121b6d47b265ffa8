import { type Random, randomInteger } from '../../common/index.ts';
import type { Act } from '../../profiles/index.ts';
import type { PoolActs, Scored } from '../thresholds/types.ts';

/**
 * Queries of one true act. With v uniform on [0, 1]: U = v^skew, so that P(U <= u) = u^(1 / skew); an answer is wrong
 * with probability `errors(v)`; the query is answerable with probability 1 - `hard` * v; a gate is
 * closed with probability `closed`, whatever v is.
 */
export interface ActWorld {
  act: Act;
  /** Share of the queries; the shares of a world sum to one. */
  share: number;
  skew: number;
  /** P(wrong | v) = base + slope * v, within [0, 1]. */
  base: number;
  slope: number;
  closed: number;
  hard: number;
}

/** `noise`: chance that the predicted act is drawn evenly from the world's acts. `steps`: U is rounded up to j / steps. */
export interface World {
  acts: readonly ActWorld[];
  noise: number;
  steps: number | null;
}

/** One query of the world, as a calibration sees it. */
export function draw(world: World, random: Random): Scored {
  const own = pick(world.acts, random());
  const predicted = random() < world.noise ? world.acts[randomInteger(random, world.acts.length)]! : own;
  const v = random();
  const U = v ** own.skew;
  const rounded = world.steps === null ? U : Math.ceil(U * world.steps) / world.steps;
  return {
    act: predicted.act,
    U: random() < own.closed ? null : rounded,
    wrong: random() < own.base + own.slope * v,
    answerable: random() >= own.hard * v,
  };
}

export function drawMany(world: World, count: number, random: Random): Scored[] {
  return Array.from({ length: count }, () => draw(world, random));
}

/**
 * What is true of a pool's next query at a threshold, in closed form. `tau` must be a multiple of 1 / steps where U is
 * rounded. `answered`: P(U <= tau and gates open); `risk`: P(wrong | answered); `silence`: P(U > tau or gate closed |
 * answerable).
 */
export function truth(
  world: World,
  pool: PoolActs,
  tau: number,
): { answered: number; risk: number; silence: number } {
  let [mass, answered, wrong, answerable, silent] = [0, 0, 0, 0, 0];
  for (const own of world.acts) {
    const weight = own.share * inPool(world, own, pool);
    const q = Math.min(1, Math.max(0, tau)) ** (1 / own.skew);
    const open = weight * (1 - own.closed);
    const canBe = weight * (1 - own.hard / 2);
    mass += weight;
    answered += open * q;
    wrong += open * (own.base * q + (own.slope * q * q) / 2);
    answerable += canBe;
    silent += canBe - (1 - own.closed) * weight * (q - (own.hard * q * q) / 2);
  }
  return { answered: answered / mass, risk: wrong / answered, silence: silent / answerable };
}

/** P(predicted act in pool | true act). */
function inPool({ acts, noise }: World, own: ActWorld, pool: PoolActs): number {
  if (pool === 'everything') return 1;
  const members = acts.filter(({ act }) => pool.includes(act)).length;
  return (pool.includes(own.act) ? 1 - noise : 0) + (noise * members) / acts.length;
}

function pick(acts: readonly ActWorld[], at: number): ActWorld {
  let left = at;
  for (const own of acts) {
    if (left < own.share) return own;
    left -= own.share;
  }
  return acts.at(-1)!;
}

/** A world of one act; what is not given is plain: U uniform, no errors, no closed gates, all answerable. */
export function one(own: Partial<Omit<ActWorld, 'act' | 'share'>>): World {
  const plain = { skew: 1, base: 0, slope: 0, closed: 0, hard: 0 };
  return { acts: [{ act: 'FACT', share: 1, ...plain, ...own }], noise: 0, steps: null };
}

/** Acts of unlike frequency, difficulty and spread of U, one query in five classified at random. */
export const FOUR_ACTS: World = {
  acts: [
    { act: 'FACT', share: 0.6, skew: 1.5, base: 0, slope: 0.1, closed: 0, hard: 0.1 },
    { act: 'QUANTITY', share: 0.25, skew: 1, base: 0.01, slope: 0.2, closed: 0, hard: 0.3 },
    { act: 'PROCEDURE', share: 0.1, skew: 0.7, base: 0.02, slope: 0.4, closed: 0, hard: 0.5 },
    { act: 'VERIFICATION', share: 0.05, skew: 2, base: 0.05, slope: 0.5, closed: 0, hard: 0.2 },
  ],
  noise: 0.2,
  steps: null,
};
