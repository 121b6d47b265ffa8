import { ACTIONS, type PlanningFeature } from '../../router/index.ts';
import { type Random, randomInteger, seededRandom } from '../metrics/random.ts';
import type { Part } from './boosting.ts';
import type { Parts } from './candidates.ts';
import { logitsInto, usedBy } from './logits.ts';
import { logLoss } from './quality.ts';
import type { Table } from './table.ts';

const K = ACTIONS.length;

/** How much log loss grows when a feature's values are dealt out anew, in nats. */
export interface Importance {
  feature: PlanningFeature;
  increase: number;
}

/**
 * Permutation importance (Breiman 2001; Fisher et al. 2019) on rows that the model of their part has not seen, the
 * values of one feature shuffled among the rows of a part. Features that are alike share what they are worth. Largest
 * first; a feature that no part uses has none.
 */
export function importanceOf(
  table: Table,
  parts: readonly (Part & { model: Parts })[],
  temperature: number,
  seed: number,
): Importance[] {
  const all = Int32Array.from(parts.flatMap(({ held }) => [...held]));
  const z = new Float64Array(table.rows.length * K);
  for (const { model, held } of parts) logitsInto(model, table, held, z);
  const whole = logLoss(table, z, all, temperature);
  const used = new Set(parts.flatMap(({ model }) => [...usedBy(model)]));
  const found: Importance[] = [];
  for (const [column, feature] of table.features.entries()) {
    if (!used.has(feature)) continue;
    const random = seededRandom(seed + column);
    const values = Float64Array.from(table.columns[column]!);
    for (const { held } of parts) shuffle(values, held, random);
    const columns = table.columns.map((own, i) => (i === column ? values : own));
    for (const { model, held } of parts) logitsInto(model, { ...table, columns }, held, z);
    found.push({ feature, increase: logLoss(table, z, all, temperature) - whole });
  }
  return found.sort((a, b) => b.increase - a.increase || (a.feature < b.feature ? -1 : 1));
}

function shuffle(values: Float64Array, places: Int32Array, random: Random): void {
  for (let i = places.length - 1; i > 0; i--) {
    const j = randomInteger(random, i + 1);
    const [a, b] = [places[i]!, places[j]!];
    [values[a], values[b]] = [values[b]!, values[a]!];
  }
}
