import { ACTIONS, type Action, type PlanningFeature } from '../../router/index.ts';
import { grouped } from '../metrics/intervals.ts';
import type { PlannerRow, Table } from './table.ts';

/** A labelled query of a set: documents of one kind, with questions about them. */
export interface SetRow extends PlannerRow {
  set: string;
}

/** Standard errors from 0 at which a sign is clear: one in a hundred would be so by chance. */
const CLEAR = 2.576;
/** Rows of either action below which no sign is. */
const LEAST_ROWS = 10;
/** Groups below which their spread is not known well enough. */
const LEAST_GROUPS = 10;
/** Sets that have to show a sign: of what one set alone shows nobody knows that others have it too. */
const LEAST_SETS = 2;

/** A feature that speaks for one action rather than another in some sets, and in others the other way. */
export interface Turned {
  feature: PlanningFeature;
  action: Action;
  than: Action;
  for: string[];
  against: string[];
}

export interface Signs {
  /** Clearly tell two actions apart in two sets or more, and nowhere clearly the other way. */
  stable: PlanningFeature[];
  turned: Turned[];
  /** Clear in fewer than two sets. */
  unclear: PlanningFeature[];
}

/** Two at a time: against all others a sign would hang on how often each of the others is right in the set. */
const PAIRS = ACTIONS.flatMap((action, i) => ACTIONS.slice(i + 1).map((than) => [action, than] as const));

/**
 * Which features of the table mean the same in every set. The sign is that of the coefficient of a logistic regression of
 * one action against another on this feature alone within the set, which is that of the difference of means; it is
 * clear where it lies more than 2.576 standard errors from 0, of groups rather than rows (Liang and Zeger 1986). Values
 * that were not measured are left out. Pure.
 */
export function signsOf(rows: readonly SetRow[], { features, columns }: Table): Signs {
  const sets = grouped([...rows.keys()], (place) => rows[place]!.set);
  const found: Signs = { stable: [], turned: [], unclear: [] };
  for (const [column, feature] of features.entries()) {
    const values = columns[column]!;
    const turned: Turned[] = [];
    let clear = false;
    for (const [action, than] of PAIRS) {
      const [up, down]: [string[], string[]] = [[], []];
      for (const places of sets) {
        const z = deviation(rows, values, places, { action, than });
        if (z > CLEAR) up.push(rows[places[0]!]!.set);
        if (z < -CLEAR) down.push(rows[places[0]!]!.set);
      }
      if (up.length > 0 && down.length > 0) turned.push({ feature, action, than, for: up, against: down });
      clear ||= Math.max(up.length, down.length) >= LEAST_SETS;
    }
    if (turned.length > 0) found.turned.push(...turned);
    else (clear ? found.stable : found.unclear).push(feature);
  }
  return found;
}

/** Difference of means, of one action less the other, in standard errors over groups; 0 where there are too few rows. */
function deviation(
  rows: readonly SetRow[],
  values: Float64Array,
  places: readonly number[],
  { action, than }: { action: Action; than: Action },
): number {
  const measured = places.filter((place) => !Number.isNaN(values[place]!));
  const own = measured.filter((place) => rows[place]!.action === action);
  const others = measured.filter((place) => rows[place]!.action === than);
  if (own.length < LEAST_ROWS || others.length < LEAST_ROWS) return 0;
  const mean = (some: readonly number[]) =>
    some.reduce((sum, place) => sum + values[place]!, 0) / some.length;
  const [a, b] = [mean(own), mean(others)];
  // What each group adds to the difference beyond its mean.
  const byGroup = new Map<string, number>();
  const add = (place: number, value: number) => {
    const { group } = rows[place]!;
    byGroup.set(group, (byGroup.get(group) ?? 0) + value);
  };
  for (const place of own) add(place, (values[place]! - a) / own.length);
  for (const place of others) add(place, (b - values[place]!) / others.length);
  const groups = byGroup.size;
  if (groups < LEAST_GROUPS || a === b) return 0;
  const squares = [...byGroup.values()].reduce((sum, each) => sum + each ** 2, 0);
  return (a - b) / Math.sqrt((squares * groups) / (groups - 1));
}
