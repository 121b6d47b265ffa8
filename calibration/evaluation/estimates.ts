import { type BootstrapOptions, summarise } from '../metrics/intervals.ts';
import { clopperPearson } from '../metrics/proportions.ts';
import type { Graded } from './graded.ts';
import type { Estimate, Proportion } from './types.ts';

export const NOTHING: Estimate = { value: null, interval: null, n: 0, unscored: 0, low: null, high: null };

/** Mean of values in [0, 1]; null values are unscored, and part of `n`. */
export function meanOf(
  items: readonly Graded[],
  value: (item: Graded) => number | null,
  options: BootstrapOptions,
): Estimate {
  if (items.length === 0) return NOTHING;
  const { mean, interval, n, unscored, low, high } = summarise(
    items.map((item) => ({ group: item.document, value: value(item) })),
    options,
  );
  return { value: mean, interval, n, unscored, low, high };
}

/** `k` of `of`, with the exact interval. */
export function proportion(k: number, of: number, level: number): Proportion {
  return { k, of, value: of === 0 ? null : k / of, exact: clopperPearson(k, of, level) };
}

/** Labelled answers that are wrong. Unlabelled ones are in neither number. */
export function wrongAmong(items: readonly Graded[], level: number): Proportion {
  const labelled = items.filter(({ wrong }) => wrong !== null);
  return proportion(labelled.filter(({ wrong }) => wrong === true).length, labelled.length, level);
}

export const number = (truth: boolean | null): number | null => (truth === null ? null : truth ? 1 : 0);

export const answeredOf = (items: readonly Graded[]) => items.filter(({ action }) => action === 'ANSWER');

/** How often each name occurs, the most frequent first. */
export function tally(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}
