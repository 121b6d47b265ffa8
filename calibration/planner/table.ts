import { PragauraError } from '../../common/index.ts';
import {
  ACTIONS,
  type Action,
  FEATURE_GROUPS,
  type FeatureGroup,
  PLANNING_FEATURES,
  type PlannerFeatures,
  type PlanningFeature,
} from '../../router/index.ts';

/** One labelled query: what was measured of it and the action that is right for it. */
export interface PlannerRow {
  features: PlannerFeatures;
  action: Action;
  /** Rows of one group (document, dialogue) are never on both sides of a split. */
  group: string;
  /** How much the row counts, > 0; default 1. */
  weight?: number;
}

/** Rows as columns. `label`: place in ACTIONS. A value that was not measured is NaN here, and nowhere else. */
export interface Table {
  rows: readonly PlannerRow[];
  features: readonly PlanningFeature[];
  columns: readonly Float64Array[];
  label: Uint8Array;
  weight: Float64Array;
}

/**
 * The rows as a table of the features that vary (or are sometimes missing), those of the groups in `without` left out.
 * Throws INVALID_INPUT, with the number of the row, for a feature that is neither null nor finite, an unknown action or
 * a weight that is not positive; and for no rows at all.
 */
export function tableOf(rows: readonly PlannerRow[], without: readonly FeatureGroup[]): Table {
  if (rows.length === 0) throw invalid('There are no labelled queries to fit a planner on.');
  for (const [i, row] of rows.entries()) check(row, i + 1);
  const dropped = new Set<string>(without.flatMap((group) => FEATURE_GROUPS[group] as readonly string[]));
  const features: PlanningFeature[] = [];
  const columns: Float64Array[] = [];
  for (const feature of PLANNING_FEATURES) {
    if (dropped.has(feature)) continue;
    const column = Float64Array.from(rows, (row) => row.features[feature] ?? Number.NaN);
    if (column.every((value) => Object.is(value, column[0]))) continue;
    features.push(feature);
    columns.push(column);
  }
  return {
    rows,
    features,
    columns,
    label: Uint8Array.from(rows, ({ action }) => ACTIONS.indexOf(action)),
    weight: Float64Array.from(rows, ({ weight }) => weight ?? 1),
  };
}

function check({ features, action, weight }: PlannerRow, place: number): void {
  if (!ACTIONS.includes(action))
    throw invalid(`Row ${place} has no action but "${String(action).slice(0, 40)}".`);
  if (weight !== undefined && !(weight > 0 && Number.isFinite(weight))) {
    throw invalid(`Row ${place} has weight ${weight}, which is not positive.`);
  }
  for (const feature of PLANNING_FEATURES) {
    const value = features[feature];
    if (value !== null && !Number.isFinite(value)) {
      throw invalid(`Row ${place}: feature ${feature} is ${value}; a number or null is needed.`);
    }
  }
}

function invalid(message: string): PragauraError {
  return new PragauraError('INVALID_INPUT', message, {
    hint: 'Measure the queries again with this version.',
  });
}
