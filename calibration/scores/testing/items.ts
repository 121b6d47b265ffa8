import { type Random, seededRandom } from '../../../common/index.ts';
import { FEATURES, type Features } from '../../../router/index.ts';
import type { FitItem } from '../items.ts';

/** Features of a query with a candidate; what is not given is `base`. */
export function features(given: Partial<Features>, base: number | null = 0.5): Features {
  const all = Object.fromEntries(FEATURES.map((name) => [name, base])) as Features;
  return { ...all, answerScore: 0.5, ...given };
}

/** Queries of a world in which right answers come with log odds `logOdds(features)`, ten to a group. */
export function world(
  n: number,
  draw: (random: Random) => Partial<Features>,
  logOdds: (given: Partial<Features>) => number,
  seed = 1,
): FitItem[] {
  const random = seededRandom(seed);
  return Array.from({ length: n }, (_, i) => {
    const given = draw(random);
    const right = random() < 1 / (1 + Math.exp(-logOdds(given)));
    return { group: `g${Math.floor(i / 10)}`, act: 'FACT', features: features(given), wrong: !right };
  });
}
