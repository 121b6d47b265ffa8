import { answerF1 } from '../../calibration/index.ts';
import {
  ACTIONS,
  type Action,
  choose,
  LAYERS,
  type LayerName,
  type PlannerModel,
  plan,
  type Utilities,
} from '../../router/index.ts';
import type { Judged } from './figures.ts';
import type { Facts } from './observation/facts.ts';
import type { DecisionQuery } from './types.ts';

/** What a policy does with a query that was measured without an error. */
export type Policy = (facts: Facts) => Action;

export const alwaysAnswer: Policy = () => 'ANSWER';
/** The paper's hard gate, and nothing before it but what no policy changes; `numbersGate`: without its classifier. */
export const paperGate: Policy = ({ final, hardGate }) => final ?? hardGate ?? 'ABSTAIN';
export const numbersGate: Policy = (facts) => facts.final ?? facts.numbersGate ?? 'ABSTAIN';
export const allLayers: Policy = ({ final, layers }) => final ?? layers ?? 'ANSWER';
export const thresholds: Policy = (facts) => facts.thresholds ?? 'ABSTAIN';
export const thresholdsAlone: Policy = ({ final, bare }) => final ?? bare ?? 'ABSTAIN';

/** One layer, and whatever it leaves open is answered. */
export const layerAlone =
  (name: LayerName): Policy =>
  ({ alone }) =>
    alone[name] ?? 'ANSWER';

/** Layers that close for some query: the others do as `alwaysAnswer` does. */
export function layersThatClose(facts: readonly Facts[]): LayerName[] {
  return LAYERS.filter((name) => facts.some(({ alone }) => alone[name] !== undefined));
}

/** The action of least expected cost; only what a passage holds can be answered. */
export const byPlanner =
  (model: PlannerModel, utilities: Utilities = model.utilities): Policy =>
  ({ final, planning, answerable }) => {
    if (final !== null || planning === null) return final ?? 'ABSTAIN';
    const possible = ACTIONS.filter((action) => action !== 'ANSWER' || answerable);
    return choose(plan(model, planning), utilities, possible);
  };

/** An F1 below this is another text. */
const SAME_TEXT = 0.5;

/** What a policy makes of each query, beside what is right. An action that is right as well counts as the right one. */
export function judgedBy(
  policy: Policy,
  queries: readonly DecisionQuery[],
  facts: readonly Facts[],
): Judged[] {
  return queries.map(({ action, also, group, answers = [] }, place) => {
    const own = facts[place]!;
    const said = own.error === null ? policy(own) : null;
    const f1 = answers.length === 0 ? null : answerF1(own.candidate ?? '', answers);
    return {
      group,
      gold: action,
      said: said !== null && said === also ? action : said,
      misread: f1 === null ? null : f1 < SAME_TEXT,
    };
  });
}
