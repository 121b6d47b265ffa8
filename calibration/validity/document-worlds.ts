import { type Random, randomInteger } from '../../common/index.ts';
import type { PoolActs, Scored } from '../thresholds/types.ts';

/**
 * A kind of document. Its questions are independent, given the document: with v uniform on [0, 1], U = v^skew; an answer
 * is wrong with probability base + slope * v; a gate is closed with probability `closed`; all can be answered; the act is
 * FACT with probability `facts`, else QUANTITY.
 */
interface Kind {
  /** Share of the documents; those of a world sum to one. */
  share: number;
  /** Its number of questions is evenly one of these. */
  sizes: readonly number[];
  skew: number;
  base: number;
  slope: number;
  closed: number;
  facts: number;
}

export type DocumentWorld = readonly Kind[];

/** `count` documents of the world. Names of documents start with `name`. */
export function drawDocuments(world: DocumentWorld, count: number, random: Random, name = ''): Scored[] {
  return Array.from({ length: count }, (_, place) => {
    const own = pick(world, random());
    const size = own.sizes[randomInteger(random, own.sizes.length)]!;
    return Array.from({ length: size }, (): Scored => {
      const v = random();
      return {
        act: random() < own.facts ? 'FACT' : 'QUANTITY',
        U: random() < own.closed ? null : v ** own.skew,
        wrong: random() < own.base + own.slope * v,
        answerable: true,
        group: `${name}${place}`,
        draw: random(),
      };
    });
  }).flat();
}

/**
 * What is true of a question of a new document at a threshold, every document counting alike, in closed form.
 * `answered`: mean over documents with a question of the pool of the chance that one is answered. `risk`: mean over
 * documents with an answer to one of the chance that an answer is wrong. `silence`: 1 - `answered`.
 */
export function truthOfDocuments(
  world: DocumentWorld,
  pool: PoolActs,
  tau: number,
): { answered: number; risk: number; silence: number } {
  let [documents, answered, withAnswer, wrong] = [0, 0, 0, 0];
  for (const own of world) {
    const q = Math.min(1, Math.max(0, tau)) ** (1 / own.skew);
    const inPool = shareOf(own, pool);
    const some = own.share * atLeastOne(own.sizes, inPool);
    const answering = own.share * atLeastOne(own.sizes, inPool * (1 - own.closed) * q);
    documents += some;
    answered += some * (1 - own.closed) * q;
    withAnswer += answering;
    wrong += answering * (own.base + (own.slope * q) / 2);
  }
  return { answered: answered / documents, risk: wrong / withAnswer, silence: 1 - answered / documents };
}

/** Share of the kind's questions that a pool gathers. */
function shareOf({ facts }: Kind, pool: PoolActs): number {
  if (pool === 'everything') return 1;
  return (pool.includes('FACT') ? facts : 0) + (pool.includes('QUANTITY') ? 1 - facts : 0);
}

/** Chance that at least one of a document's questions is such, each with probability p. */
function atLeastOne(sizes: readonly number[], p: number): number {
  return sizes.reduce((sum, size) => sum + 1 - (1 - p) ** size, 0) / sizes.length;
}

function pick(world: DocumentWorld, at: number): Kind {
  let left = at;
  for (const own of world) {
    if (left < own.share) return own;
    left -= own.share;
  }
  return world.at(-1)!;
}

const PLAIN: Kind = { share: 1, sizes: [20], skew: 1, base: 0, slope: 0, closed: 0, facts: 1 };

/** Documents of one kind; what is not given is plain. */
export function alike(own: Partial<Kind>): DocumentWorld {
  return [{ ...PLAIN, ...own }];
}

/** Unlike documents: easy and long, middling, hard and short; hard ones ask for quantities and are often unanswered. */
export const UNLIKE: DocumentWorld = [
  { share: 0.5, sizes: [30, 40, 60], skew: 3, base: 0, slope: 0.08, closed: 0, facts: 0.8 },
  { share: 0.3, sizes: [5, 10], skew: 1, base: 0.02, slope: 0.2, closed: 0.02, facts: 0.5 },
  { share: 0.2, sizes: [1, 2, 4], skew: 0.25, base: 0.1, slope: 0.5, closed: 0.1, facts: 0.1 },
];

/** A share of the documents has all the errors, `risk` on the whole, whatever the threshold. */
export function uneven(risk: number, share: number, sizes: readonly number[]): DocumentWorld {
  return [
    { ...PLAIN, share, sizes, base: risk / share },
    { ...PLAIN, share: 1 - share, sizes },
  ];
}
