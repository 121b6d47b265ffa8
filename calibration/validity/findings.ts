import type { Fraction } from '../levels/level.ts';
import { asNumber } from '../levels/level.ts';

/** One promise held against what happened. */
export interface Finding {
  promise: string;
  world: string;
  /** Calibrations made. */
  trials: number;
  allowed: string;
  seen: string;
  /** Null: nothing was promised, the figure is shown for what it is. */
  holds: boolean | null;
}

/** Most violations in `trials` calibrations that chance leaves room for: delta, and four standard errors on top. */
export function mostViolations(trials: number, delta: Fraction): number {
  const rate = asNumber(delta);
  return Math.floor(trials * rate + 4 * Math.sqrt(trials * rate * (1 - rate)));
}

export function violations(
  promise: string,
  world: string,
  trials: number,
  delta: Fraction,
  violated: (trial: number) => boolean,
  passed?: () => string,
): Finding {
  let seen = 0;
  for (let trial = 0; trial < trials; trial++) if (violated(trial)) seen++;
  const most = mostViolations(trials, delta);
  return {
    promise,
    world,
    trials,
    allowed: `${most} broken (${asNumber(delta)} + 4 se)`,
    seen: `${seen} (${(seen / trials).toFixed(4)})${passed === undefined ? '' : `, ${passed()}`}`,
    holds: seen <= most,
  };
}

/** Chance that a true distribution is refused. */
const KS_LEVEL = 0.001;

/** Are `values` uniform on [0, 1]? Kolmogorov-Smirnov with the limiting critical value. */
export function uniform(promise: string, world: string, trials: number, values: readonly number[]): Finding {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  const distance = sorted.reduce(
    (most, value, place) => Math.max(most, (place + 1) / n - value, value - place / n),
    0,
  );
  const critical = Math.sqrt(-Math.log(KS_LEVEL / 2) / 2 / n);
  return {
    promise,
    world,
    trials,
    allowed: `KS ${critical.toFixed(4)} (level ${KS_LEVEL})`,
    seen: `${distance.toFixed(4)} over ${n}`,
    holds: n > 0 && distance <= critical,
  };
}

/** Is the mean of `values`, less four standard errors, at most `high`, and plus four at least `low`? */
export function meanWithin(
  promise: string,
  world: string,
  values: readonly number[],
  low: number,
  high: number,
): Finding {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n / n);
  return {
    promise,
    world,
    trials: n,
    allowed: low === high ? `${low.toFixed(4)} ± 4 se` : `at least ${low.toFixed(4)} - 4 se`,
    seen: `${mean.toFixed(4)} (se ${spread.toFixed(5)})`,
    holds: mean >= low - 4 * spread && mean <= high + 4 * spread,
  };
}
