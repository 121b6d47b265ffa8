import { ACTIONS, type PlannerNode, type PlanningFeature } from '../../router/index.ts';
import type { Parts } from './candidates.ts';
import type { Table } from './table.ts';

const K = ACTIONS.length;

/** Logits of the rows at `places` under a planner's parts, as `logitsOf` has them, written into `z`, K a row. */
export function logitsInto(
  { base, linear, trees }: Parts,
  table: Table,
  places: Int32Array,
  z: Float64Array,
): void {
  const columnOf = new Map(table.features.map((feature, i) => [feature, table.columns[i]!]));
  const value = (feature: PlanningFeature, row: number): number => columnOf.get(feature)![row]!;
  for (const row of places) {
    for (let k = 0; k < K; k++) z[row * K + k] = base[ACTIONS[k]!];
    for (const { feature, mean, scale, weights, missing } of linear) {
      const x = value(feature, row);
      const standard = (x - mean) / scale;
      for (let k = 0; k < K; k++) {
        const action = ACTIONS[k]!;
        z[row * K + k]! += Number.isNaN(x) ? missing[action] : weights[action] * standard;
      }
    }
    for (const tree of trees) {
      let node: PlannerNode = tree;
      while ('feature' in node) {
        const x = value(node.feature, row);
        node = Number.isNaN(x) ? node.missing : x < node.at ? node.less : node.more;
      }
      for (let k = 0; k < K; k++) z[row * K + k]! += node[ACTIONS[k]!];
    }
  }
}

/** The features that a planner looks at. */
export function usedBy({ linear, trees }: Pick<Parts, 'linear' | 'trees'>): Set<PlanningFeature> {
  const used = new Set(linear.map(({ feature }) => feature));
  const walk = (node: PlannerNode): void => {
    if (!('feature' in node)) return;
    used.add(node.feature);
    for (const child of [node.less, node.more, node.missing]) walk(child);
  };
  for (const tree of trees) walk(tree);
  return used;
}
