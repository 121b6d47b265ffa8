import { fitPlanner, grouped, type PlannerReport, type PlannerRow } from '../../calibration/index.ts';
import { FEATURE_GROUPS, type FeatureGroup, type PlannerModel } from '../../router/index.ts';
import { oneOf } from '../datasets/one-of.ts';
import type { GraphFigures } from './graphs.ts';
import type { Facts } from './observation/facts.ts';
import { halfOfQuery } from './sample.ts';
import type { DecisionQuery } from './types.ts';

/** A set with what was measured of its queries, in their order. */
export interface MeasuredSet {
  name: string;
  about: string;
  queries: readonly DecisionQuery[];
  facts: readonly Facts[];
  /** Of the graph that was consulted; absent where none is known. */
  graph?: GraphFigures;
}

export interface Planner {
  model: PlannerModel;
  report: PlannerReport;
}

/** The part of a set that figures are of: the reporting half, and whatever no planner is fitted on. */
export function reported(set: MeasuredSet): Pick<MeasuredSet, 'queries' | 'facts'> {
  return partOf(set, (query) => !isFitted(query));
}

/** The part of a set that may be fitted on. */
export function fittedPart(set: MeasuredSet): Pick<MeasuredSet, 'queries' | 'facts'> {
  return partOf(set, isFitted);
}

function partOf(
  { queries, facts }: MeasuredSet,
  belongs: (query: DecisionQuery) => boolean,
): Pick<MeasuredSet, 'queries' | 'facts'> {
  const places = [...queries.keys()].filter((place) => belongs(queries[place]!));
  return { queries: places.map((place) => queries[place]!), facts: places.map((place) => facts[place]!) };
}

/** A planner on the tuning halves of these sets; null where they hold nothing that may be fitted on. */
export function plannerFor(
  sets: readonly MeasuredSet[],
  { without = [], leaveOut = [] }: { without?: readonly FeatureGroup[]; leaveOut?: readonly string[] } = {},
): Planner | null {
  const rows = rowsOf(sets, new Set(leaveOut));
  return rows.length === 0 ? null : fitPlanner(rows, { without });
}

/** Where the queries of a set were taken from. */
export function sourcesOf({ queries }: Pick<MeasuredSet, 'queries'>): string[] {
  return [...new Set(queries.map(({ source }) => source))].sort();
}

/**
 * Rows to fit on, none from the sources in `leaveOut`. Each set weighs the same, and then each action: neither the size
 * of a set nor what it has most of shall be what the planner expects.
 */
export function rowsOf(sets: readonly MeasuredSet[], leaveOut: ReadonlySet<string>): PlannerRow[] {
  const rows = sets.flatMap(({ queries, facts }) => {
    const own = queries.flatMap((query, place): PlannerRow[] => {
      const { planning, final } = facts[place]!;
      // What no planner decides teaches it nothing.
      if (!isFitted(query) || leaveOut.has(query.source) || planning === null || final !== null) return [];
      return [{ features: planning, action: query.action, group: query.group }];
    });
    return own.map((row) => ({ ...row, weight: 1 / own.length }));
  });
  return grouped(rows, ({ action }) => action).flatMap((own) => {
    const sum = own.reduce((total, { weight }) => total + weight, 0);
    return own.map((row) => ({ ...row, weight: row.weight / sum }));
  });
}

function isFitted(query: DecisionQuery): boolean {
  return query.fits && halfOfQuery(query) === 'tune';
}

/** The groups of features in a list such as "graph,state". Throws USAGE for a name that is none. */
export function parseGroups(list: string): FeatureGroup[] {
  const groups = Object.keys(FEATURE_GROUPS) as FeatureGroup[];
  return list.split(',').map((text) => oneOf(groups, text.trim(), 'group of features'));
}
