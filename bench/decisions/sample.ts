import { grouped } from '../../calibration/index.ts';
import { seededRandom } from '../../common/index.ts';
import { type Half, halfOf } from '../datasets/halves.ts';
import { inTurn } from '../measure/in-turn.ts';
import type { DecisionQuery } from './types.ts';

export function halfOfQuery({ half, group }: Pick<DecisionQuery, 'half' | 'group'>): Half {
  return half ?? halfOf(group);
}

/**
 * At most `count` queries, each action as often as in the set, spread over as many groups as can be: one of each group,
 * then a second of each. Seeded; in their original order.
 */
export function sampled(queries: readonly DecisionQuery[], count: number, seed = 1): DecisionQuery[] {
  if (count >= queries.length) return [...queries];
  const random = seededRandom(seed);
  const taken = new Set<DecisionQuery>();
  const actions = grouped(queries, ({ action }) => action);
  for (const [place, own] of actions.entries()) {
    const left = count - taken.size;
    const last = place === actions.length - 1;
    const share = last ? left : Math.round((count * own.length) / queries.length);
    for (const query of inTurn(own, random).slice(0, Math.min(share, left))) taken.add(query);
  }
  return queries.filter((query) => taken.has(query));
}
