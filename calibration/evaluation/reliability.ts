import type { UncertaintyScore } from '../../router/index.ts';
import type { BootstrapOptions } from '../metrics/intervals.ts';
import {
  brier,
  calibrationError,
  equalMassBins,
  errorByChance,
  resampledCalibrationError,
} from '../metrics/probability.ts';
import { clopperPearson } from '../metrics/proportions.ts';
import { bootstrapFigures } from '../metrics/resampled.ts';
import { meanOf, NOTHING } from './estimates.ts';
import type { Graded } from './graded.ts';
import type { Estimate, Probability, Reliability } from './types.ts';

const STATED: Record<UncertaintyScore['kind'], { name: string; about: string }> = {
  formula: {
    name: '1 - U',
    about: 'The formula states no probability: 1 - U is held against the share right as it is.',
  },
  learned: { name: 'P(right) = 1 - U', about: 'The learned score states a probability of being right.' },
  planner: {
    name: 'P(ANSWER) = 1 - U',
    about: 'The planner states a probability that answering is the right thing to do.',
  },
};

/** 1 - U as a probability of being right, over what has open gates, and over what is answered. */
export function reliabilityOf(
  items: readonly Graded[],
  score: UncertaintyScore,
  bins: number,
  options: BootstrapOptions,
): Reliability {
  const open = items.filter(({ place, U }) => place !== null && U !== null);
  return {
    ...STATED[score.kind],
    measured: probabilityOf(open, bins, options),
    answered: probabilityOf(
      open.filter(({ action }) => action === 'ANSWER'),
      bins,
      options,
    ),
  };
}

function probabilityOf(items: readonly Graded[], bins: number, options: BootstrapOptions): Probability {
  const forecasts = items.flatMap(({ document, U, wrong }) =>
    U === null || wrong === null ? [] : [{ group: document, confidence: 1 - U, right: wrong ? 0 : 1 }],
  );
  const right = forecasts.reduce((sum, forecast) => sum + forecast.right, 0) / forecasts.length;
  const squared = meanOf(
    items,
    ({ U, wrong }) => (U === null || wrong === null ? null : (1 - U - (wrong ? 0 : 1)) ** 2),
    options,
  );
  return {
    brier: { ...squared, value: brier(forecasts) },
    brierOfConstant: forecasts.length === 0 ? null : right * (1 - right),
    ece: calibration(forecasts, items.length, bins, options),
    eceByChance: errorByChance(forecasts, bins),
    bins: equalMassBins(forecasts, bins).map((bin) => ({
      ...bin,
      exact: clopperPearson(Math.round(bin.right * bin.n), bin.n, options.level),
    })),
  };
}

function calibration(
  forecasts: readonly { group: string; confidence: number; right: number }[],
  n: number,
  bins: number,
  options: BootstrapOptions,
): Estimate {
  if (forecasts.length === 0) return { ...NOTHING, n, unscored: n };
  const groups = [...new Set(forecasts.map(({ group }) => group))];
  const placeOf = new Map(groups.map((group, place) => [group, place]));
  const { order, errorWith } = resampledCalibrationError(forecasts, bins);
  const places = order.map(({ group }) => placeOf.get(group)!);
  const value = calibrationError(forecasts, bins)!;
  const drawn: number[] = [];
  const intervals = bootstrapFigures(
    groups.length,
    (counts) => {
      const error = errorWith(places.map((place) => counts[place]!))!;
      drawn.push(error);
      return [error];
    },
    options,
  );
  // Resampling adds noise to every bin, which this figure counts as error: the interval is moved back by as much.
  const moved = drawn.reduce((sum, error) => sum + error, 0) / drawn.length - value;
  const around = intervals?.[0];
  const unscored = n - forecasts.length;
  // What the unlabelled would do to the bins has no simple bounds.
  return {
    value,
    interval:
      around == null
        ? null
        : { low: Math.max(0, around.low - moved), high: Math.max(0, around.high - moved) },
    n,
    unscored,
    low: unscored === 0 ? value : null,
    high: unscored === 0 ? value : null,
  };
}
