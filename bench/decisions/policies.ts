import { answerF1, type JudgedAction } from '../../calibration/index.ts';
import {
  type Action,
  choose,
  LAYERS,
  type LayerName,
  type PlannerModel,
  plan,
  type Utilities,
} from '../../router/index.ts';
import type { Facts } from './observation/facts.ts';
import type { DecisionQuery } from './types.ts';

/** What a policy does with a query that was measured without an error, and the text that is or would be answered. */
export type Policy = (facts: Facts, query: Pick<DecisionQuery, 'query'>) => Prediction;
export interface Prediction {
  action: Action;
  text: string | null;
}

/** Where the vocabulary was not consulted, the reader's text. */
const read = ({ candidate }: Facts, action: Action | null): Prediction => ({
  action: action ?? 'ABSTAIN',
  text: candidate,
});
/** Where it was, its definition comes before what was read. */
const told = (facts: Facts, action: Action | null): Prediction => ({
  action: action ?? 'ABSTAIN',
  text: facts.defined ?? facts.candidate,
});

export const alwaysAnswer: Policy = (facts) => read(facts, 'ANSWER');
/** The paper's hard gate, and nothing before it but what no policy changes; `numbersGate`: without its classifier. */
export const paperGate: Policy = (facts) => told(facts, facts.final ?? facts.hardGate);
export const numbersGate: Policy = (facts) => told(facts, facts.final ?? facts.numbersGate);
export const allLayers: Policy = (facts) => told(facts, facts.final ?? facts.layers ?? 'ANSWER');
export const thresholds: Policy = (facts) => told(facts, facts.thresholds);
export const thresholdsAlone: Policy = (facts) => told(facts, facts.final ?? facts.bare);

/** One layer, and whatever it leaves open is answered. */
export const layerAlone =
  (name: LayerName): Policy =>
  (facts) =>
    (name === 'vocabulary' ? told : read)(facts, facts.alone[name] ?? 'ANSWER');

/** Layers that close for some query: the others do as `alwaysAnswer` does. */
export function layersThatClose(facts: readonly Facts[]): LayerName[] {
  return LAYERS.filter((name) => facts.some(({ alone }) => alone[name] !== undefined));
}

/** The action of least expected cost; only what a passage holds can be answered. */
export const byPlanner =
  (model: PlannerModel, utilities: Utilities = model.utilities): Policy =>
  (facts) => {
    const { final, planning, answerable } = facts;
    if (final !== null || planning === null) return told(facts, final);
    return told(facts, choose(plan(model, planning), utilities, answerable));
  };

/** An F1 below this is another text. */
const SAME_TEXT = 0.5;

/** What a policy makes of each query, beside what is right. An action that is right as well counts as the right one. */
export function judgedBy(
  policy: Policy,
  queries: readonly DecisionQuery[],
  facts: readonly Facts[],
): JudgedAction[] {
  return queries.map((query, place) => {
    const { action, also, group, answers = [] } = query;
    const own = facts[place]!;
    const said = own.error === null ? policy(own, query) : null;
    const f1 = answers.length === 0 ? null : answerF1(said?.text ?? '', answers);
    return {
      group,
      gold: action,
      said: said !== null && said.action === also ? action : (said?.action ?? null),
      misread: f1 === null ? null : f1 < SAME_TEXT,
    };
  });
}
