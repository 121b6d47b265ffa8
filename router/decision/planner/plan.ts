import { PragauraError } from '../../../common/index.ts';
import { ACTIONS } from '../../contracts.ts';
import type { PerAction, PlannerModel, PlannerNode } from './model.ts';
import { PLANNING_FEATURES, type PlannerFeatures } from './names.ts';

/**
 * P(ANSWER), P(ASK) and P(ABSTAIN) of a query with these features; they sum to one. Throws INTERNAL for a feature
 * that is neither null nor a finite number.
 */
export function plan(model: PlannerModel, features: PlannerFeatures): PerAction {
  return softmax(logitsOf(model, features), model.temperature);
}

/** z of every action, before temperature. */
export function logitsOf(
  { base, linear, trees }: Pick<PlannerModel, 'base' | 'linear' | 'trees'>,
  features: PlannerFeatures,
): PerAction {
  for (const name of PLANNING_FEATURES) {
    const value = features[name];
    if (value !== null && !Number.isFinite(value)) {
      throw new PragauraError('INTERNAL', `Feature ${name} is ${value}, which is no number.`);
    }
  }
  const z = { ...base };
  for (const { feature, mean, scale, weights, missing } of linear) {
    const value = features[feature];
    for (const action of ACTIONS) {
      z[action] += value === null ? missing[action] : (weights[action] * (value - mean)) / scale;
    }
  }
  for (const tree of trees) {
    const leaf = leafOf(tree, features);
    for (const action of ACTIONS) z[action] += leaf[action];
  }
  return z;
}

/** The leaf that a query with these features comes to. */
export function leafOf(tree: PlannerNode, features: PlannerFeatures): PerAction {
  let node = tree;
  while ('feature' in node) {
    const value = features[node.feature];
    node = value === null ? node.missing : value < node.at ? node.less : node.more;
  }
  return node;
}

/** exp(z / temperature), normalised to one. */
export function softmax(z: PerAction, temperature: number): PerAction {
  const most = Math.max(...ACTIONS.map((action) => z[action]));
  const e = ACTIONS.map((action) => Math.exp((z[action] - most) / temperature));
  const sum = e.reduce((total, each) => total + each, 0);
  return { ANSWER: e[0]! / sum, ASK: e[1]! / sum, ABSTAIN: e[2]! / sum };
}
