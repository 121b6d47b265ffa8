/** What is compared on a set that is left out. Pure. */
import {
  type Action,
  choose,
  estimatedPrior,
  fittedPrior,
  type PlannerModel,
  plan,
  type Utilities,
  underPrior,
} from '../../router/index.ts';
import type { Facts } from '../decisions/observation/facts.ts';
import { general as showing } from '../general/rules.ts';
import { type Fits, type FittedBars, itemOf } from './fits.ts';
import { bySupport } from './support.ts';

/** What is done with a query that was measured without an error. */
export type Decide = (facts: Facts) => Action;
type Probabilities = Record<Action, number>;

/** Nothing of these is fitted here, and nothing of them hangs on what is left out. */
export const FIXED: Readonly<Record<string, Decide>> = {
  'always answer': () => 'ANSWER',
  'hard gate': ({ final, hardGate }) => final ?? hardGate ?? 'ABSTAIN',
  'provisional rule': ({ thresholds }) => thresholds ?? 'ABSTAIN',
  'provisional rule, no layers': ({ final, bare }) => final ?? bare ?? 'ABSTAIN',
  'relevance alone': ({ relevance }) => relevance ?? 'ABSTAIN',
  'general rule, as shipped': ({ general }) => general ?? 'ABSTAIN',
};

/**
 * What was fitted on other sets, by name. `stream`: facts of the queries to decide, without what is right for them; a
 * prior is estimated from these alone.
 */
export function fittedContenders(
  fits: Fits,
  stream: readonly Facts[],
  utilities: Utilities,
): Record<string, { decide: Decide; prior: Probabilities | null }> {
  const { bars, weighed, support, pooled, intercepts, stable } = fits;
  const bare = (decide: Decide) => ({ decide, prior: null });
  const under = (model: PlannerModel, prior: Probabilities) => ({
    decide: byProbabilities((facts) => planned(model, facts, prior), utilities),
    prior,
  });
  const estimated = (model: PlannerModel) => under(model, streamPrior(model, stream));
  const even = (model: PlannerModel) => under(model, fittedPrior(model));
  const carried = byProbabilities(
    (facts) => planned(stable.model, facts, fittedPrior(stable.model)),
    utilities,
  );
  return {
    'thresholds, fitted': bare(byBars(bars, utilities)),
    "thresholds, U's weights too": bare(byBars(weighed, utilities)),
    'sigma of the fourth paper': bare(bySupport(support)),
    'planner, pooled': even(pooled),
    'pooled, prior estimated': estimated(pooled),
    'planner, intercepts out': even(intercepts),
    'planner, same signs': even(stable.model),
    'same signs, prior of the others': under(stable.model, fits.prior),
    'same signs, prior estimated': estimated(stable.model),
    'mean of pooled and same signs': bare(
      byProbabilities(
        (facts) =>
          halfway(
            planned(pooled, facts, fittedPrior(pooled)),
            planned(stable.model, facts, fittedPrior(stable.model)),
          ),
        utilities,
      ),
    ),
    'thresholds answer, same signs decline': bare((facts) => {
      const said = byBars(bars, utilities)(facts);
      return said === 'ANSWER' || facts.final !== null ? said : carried({ ...facts, answerable: false });
    }),
  };
}

function planned(model: PlannerModel, { planning }: Facts, prior: Probabilities): Probabilities {
  return underPrior(plan(model, planning!), fittedPrior(model), prior);
}

function halfway(a: Probabilities, b: Probabilities): Probabilities {
  return {
    ANSWER: (a.ANSWER + b.ANSWER) / 2,
    ASK: (a.ASK + b.ASK) / 2,
    ABSTAIN: (a.ABSTAIN + b.ABSTAIN) / 2,
  };
}

/** As `planned` of the router: what is final stays, the rest is the action of least expected cost. */
function byProbabilities(of: (facts: Facts) => Probabilities, utilities: Utilities): Decide {
  return (facts) => {
    if (facts.final !== null || facts.planning === null) return facts.final ?? 'ABSTAIN';
    return choose(of(facts), utilities, facts.answerable);
  };
}

/** By expectation and maximisation over what a planner decides; that of the planner where it decides nothing. */
function streamPrior(model: PlannerModel, stream: readonly Facts[]): Probabilities {
  const own = stream.flatMap(({ planning, final }) =>
    planning === null || final !== null ? [] : [plan(model, planning)],
  );
  return own.length === 0 ? fittedPrior(model) : estimatedPrior(own, fittedPrior(model));
}

/** Span or passage by the bars that the costs make, else what the layers and gates do where no bar is met. */
function byBars({ U, rule }: FittedBars, utilities: Utilities): Decide {
  const show = showing(rule, cautionOf(utilities));
  return (facts) => {
    if (facts.final !== null) return facts.final;
    return show(itemOf(facts, U)) === null ? (facts.declined ?? 'ABSTAIN') : 'ANSWER';
  };
}

/** The caution at which a wrong answer costs so many silences; at most 1, which is four. */
export function cautionOf({ wrong, silence }: Pick<Utilities, 'wrong' | 'silence'>): number {
  return silence === 0 ? 1 : Math.min(1, Math.sqrt(wrong / silence) / 2);
}
