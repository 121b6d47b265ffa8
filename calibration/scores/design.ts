import { FEATURES, type FeatureName, type Features, type UncertaintyScore } from '../../router/index.ts';

/** How one feature enters a regression. Places are those in `[intercept, ...weights]`. */
export interface Column {
  feature: FeatureName;
  mean: number;
  /** Standard deviation. */
  scale: number;
  place: number;
  /** Smallest and largest value of the design, in standard deviations from the mean. */
  range: readonly [number, number];
  /** Place of the indicator "is missing"; null when it never was among the items of the design. */
  missingPlace: number | null;
}

/**
 * Features as numbers of a row (without the column of ones): values in standard deviations from the mean, 0 where
 * missing, then indicators. A feature that never varies, or was never measured, is left out.
 */
export function design(items: readonly Features[]): {
  columns: Column[];
  row: (features: Features) => Float64Array;
} {
  const columns: Column[] = [];
  for (const feature of FEATURES) {
    const values = items.flatMap((features) => features[feature] ?? []);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    const scale = significant(Math.sqrt(variance));
    if (!(scale > 1e-9 * Math.max(1, Math.abs(mean)))) continue;
    const missingPlace = values.length < items.length ? 0 : null;
    const standard = (value: number) => (value - significant(mean)) / scale;
    const range = [least(values), -least(values.map((value) => -value))].map(standard) as [number, number];
    columns.push({
      feature,
      mean: significant(mean),
      scale,
      place: columns.length + 1,
      range,
      missingPlace,
    });
  }
  let places = columns.length;
  for (const column of columns) if (column.missingPlace !== null) column.missingPlace = ++places;
  return {
    columns,
    row(features) {
      const row = new Float64Array(places);
      for (const { feature, mean, scale, place, missingPlace } of columns) {
        const value = features[feature];
        if (value !== null) row[place - 1] = (value - mean) / scale;
        else if (missingPlace !== null) row[missingPlace - 1] = 1;
      }
      return row;
    },
  };
}

/**
 * A regression over a design as a score, without calibration. What is missing and never was among the items of the
 * design counts as the worst value that they had: nothing was learned of it, and it must not pass for average.
 */
export function scoreFrom(
  columns: readonly Column[],
  beta: Float64Array,
): Extract<UncertaintyScore, { kind: 'learned' }> {
  return {
    kind: 'learned',
    intercept: significant(beta[0]!),
    inputs: columns.map(({ feature, mean, scale, place, range, missingPlace }) => ({
      feature,
      mean,
      scale,
      weight: significant(beta[place]!),
      missing: significant(
        missingPlace === null ? least(range.map((value) => beta[place]! * value)) : beta[missingPlace]!,
      ),
    })),
    isotonic: null,
  };
}

/** Six digits: what a person can read, and what is applied is exactly what is written. */
export function significant(value: number): number {
  return Number(value.toPrecision(6));
}

function least(values: readonly number[]): number {
  return values.reduce((smallest, value) => Math.min(smallest, value), Number.POSITIVE_INFINITY);
}
