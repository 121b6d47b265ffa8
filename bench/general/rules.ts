/** What each rule shows of a question. Pure. */

import { sigmoid } from '../../common/index.ts';
import { leastOf, stopsPlainRule } from '../../router/index.ts';
import type { Item } from './judged.ts';
import { logitOf, type Probability } from './probability.ts';

export interface General {
  span: Probability;
  passage: Probability;
  /** Least probability of a span that is given in the place of a passage that is worth its risk too. */
  floor: number;
}

/** Which of the three is shown; null: nothing. */
export type Showing = keyof Item['right'] | null;
export type Rule = (item: Item) => Showing;

const RELEVANT = 0.5;
const PROVISIONAL_TAU = 0.38;

/** The best passage in its form, whatever is closed. */
export const always: Rule = ({ right }) =>
  right.passage !== null ? 'passage' : right.span !== null ? 'span' : null;

/** The first passage as it stands, when one is more relevant than not. */
export const plain: Rule = ({ reason, values, right }) =>
  stopsPlainRule(reason) || right.first === null || (values.bestRelevance ?? 0) < RELEVANT ? null : 'first';

/** The same, but shown in its form. */
export const relevant: Rule = (item) =>
  plain(item) === null || item.right.passage === null ? null : 'passage';

/** A span by the provisional rule, else the passage when it is more relevant than not. */
export const unfitted: Rule = ({ closed, spanOpen, values, right }) => {
  if (closed !== null) return null;
  if (spanOpen && (values.U ?? 1) <= PROVISIONAL_TAU) return 'span';
  return showsPassage(values, right) && (values.bestRelevance ?? 0) >= RELEVANT ? 'passage' : null;
};

/** A score looks at the best span too, so that without any there is none. */
function showsPassage({ answerScore = null }: Item['values'], { passage }: Item['right']): boolean {
  return passage !== null && answerScore !== null;
}

/** A span that is surely right, else the passage when it is worth its risk, else a span that is. */
export function general({ span, passage, floor }: General, cautious: number): Rule {
  const least = leastOf(cautious);
  return ({ closed, spanOpen, values, act, right }) => {
    if (closed !== null) return null;
    const ofSpan = spanOpen ? sigmoid(logitOf(span, values, act)) : null;
    if (ofSpan !== null && ofSpan >= Math.max(least, floor)) return 'span';
    if (showsPassage(values, right) && sigmoid(logitOf(passage, values, act)) >= least) return 'passage';
    return ofSpan !== null && ofSpan >= least ? 'span' : null;
  };
}

/** +1 for what is right, less the cost for what is wrong, 0 for silence. */
export function utilityOf({ right }: Item, showing: Showing, cost: number): number {
  if (showing === null) return 0;
  return right[showing] === true ? 1 : -cost;
}
