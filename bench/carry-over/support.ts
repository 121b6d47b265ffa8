/** The fourth paper's support score: sigma = l1 max sim + l2 coverage + l3 consistency, answered where it reaches tau. Pure. */
import type { Action, Utilities } from '../../router/index.ts';
import type { Facts } from '../decisions/observation/facts.ts';
import type { MeasuredSet } from '../decisions/planners.ts';
import { halfOfQuery } from '../decisions/sample.ts';

/** `weights` of similarity, coverage and consistency: none below 0, 1 together; `tau` from 0 to 1. */
export interface Support {
  weights: readonly [number, number, number];
  tau: number;
}

/** Weights in tenths, bars in fortieths. */
const [TENTHS, BARS] = [10, 40];

/**
 * Similarity: the relevance of the most relevant passage. Coverage: the share of the query's terms and concepts that the
 * evidence has. Consistency: 1 - C. Null where one was not measured, which the paper does not have.
 */
export function supportOf({ planning }: Facts, [l1, l2, l3]: Support['weights']): number | null {
  if (planning === null) return null;
  const { bestRelevance, coverage, C } = planning;
  if (bestRelevance === null || coverage === null || C === null) return null;
  return l1 * bestRelevance + l2 * coverage + l3 * (1 - C);
}

/** What is measured and not enough is refused: the paper never asks back. */
export function bySupport({ weights, tau }: Support): (facts: Facts) => Action {
  return (facts) => {
    if (facts.final !== null) return facts.final;
    const sigma = supportOf(facts, weights);
    return facts.answerable && sigma !== null && sigma >= tau ? 'ANSWER' : 'ABSTAIN';
  };
}

/** Weights and bar of least cost on the tuning halves, each set as much as another. */
export function fitSupport(
  sets: readonly MeasuredSet[],
  { wrong, silence }: Pick<Utilities, 'wrong' | 'silence'>,
): Support {
  const taught = sets
    .map(({ queries, facts }) =>
      queries.flatMap((query, place) => {
        const own = facts[place]!;
        const teaches = query.fits && halfOfQuery(query) === 'tune' && own.final === null;
        return teaches && own.planning !== null ? [{ action: query.action, facts: own }] : [];
      }),
    )
    .filter((rows) => rows.length > 0);
  let best: Support = { weights: [1, 0, 0], tau: 0.5 };
  let least = Number.POSITIVE_INFINITY;
  for (const weights of simplex()) {
    for (let bar = 0; bar <= BARS; bar += 1) {
      const support = { weights, tau: bar / BARS };
      const decide = bySupport(support);
      const cost = taught.reduce((sum, rows) => sum + meanCost(rows, decide, { wrong, silence }), 0);
      if (cost < least) [best, least] = [support, cost];
    }
  }
  return best;
}

function meanCost(
  rows: readonly { action: Action; facts: Facts }[],
  decide: (facts: Facts) => Action,
  { wrong, silence }: Pick<Utilities, 'wrong' | 'silence'>,
): number {
  const costs = rows.map(({ action, facts }) => {
    const answers = decide(facts) === 'ANSWER';
    return answers === (action === 'ANSWER') ? 0 : answers ? wrong : silence;
  });
  return costs.reduce((sum, cost) => sum + cost, 0) / rows.length;
}

function* simplex(): Generator<Support['weights']> {
  for (let a = 0; a <= TENTHS; a += 1) {
    for (let b = 0; a + b <= TENTHS; b += 1) {
      yield [a / TENTHS, b / TENTHS, (TENTHS - a - b) / TENTHS];
    }
  }
}
