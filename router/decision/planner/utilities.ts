import { PragauraError } from '../../../common/index.ts';
import type { Action, Utilities } from '../../contracts.ts';
import type { PerAction } from './model.ts';

/**
 * What each kind of mistake costs; only their ratios matter, and the right action costs nothing. `wrong`: an answer
 * where there was none to give. `question`: a question that was not needed or could not help. `silence`: an abstention
 * where an answer or a question was due.
 *
 * Silence is the measure of all. A needless question costs as much: one turn, like the turn that the user of a needless
 * silence needs to ask again. A wrong answer costs twice that: it is acted upon before anybody notices, and the question
 * has to be asked again all the same.
 */
export const DEFAULT_UTILITIES: Utilities = { wrong: 2, question: 1, silence: 1 };

/** Most careful first: among actions that cost the same the first is taken. */
const CAREFUL = ['ABSTAIN', 'ASK', 'ANSWER'] as const satisfies readonly Action[];

/** Expected cost of each action: (1 - P(it is the right one)) times what that mistake costs. */
export function expectedCosts(probabilities: PerAction, { wrong, question, silence }: Utilities): PerAction {
  const { ANSWER, ASK, ABSTAIN } = probabilities;
  for (const p of [ANSWER, ASK, ABSTAIN]) {
    if (!(p >= 0 && p <= 1))
      throw new PragauraError('INTERNAL', `A planner gave ${p}, which is no probability.`);
  }
  return { ANSWER: wrong * (1 - ANSWER), ASK: question * (1 - ASK), ABSTAIN: silence * (1 - ABSTAIN) };
}

/**
 * The action of greatest expected utility, ANSWER only where there is something to answer (`answerable`); of equal ones
 * the most careful. Throws INTERNAL for what is no probability.
 */
export function choose(probabilities: PerAction, utilities: Utilities, answerable = true): Action {
  const costs = expectedCosts(probabilities, utilities);
  let best: Action = 'ABSTAIN';
  let least = Number.POSITIVE_INFINITY;
  for (const action of CAREFUL) {
    if (action === 'ANSWER' && !answerable) continue;
    if (costs[action] < least) [best, least] = [action, costs[action]];
  }
  return best;
}
