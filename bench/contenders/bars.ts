/** How a threshold is set on the calibrate split. Pure. */
import { calibrateActs, type Level } from '../../calibration/index.ts';
import { type Item, scoredOf } from './items.ts';

/**
 * `all`: everything that has an answer. `tuned`: the threshold whose coverage of the calibrate split is nearest to the
 * level, which promises nothing. `conformal`: one split-conformal threshold. `per act`: one for each act. `bounded`: the
 * laxest threshold under which the error rate of what is answered stays below the risk by a binomial bound (Learn then Test).
 */
export const BARS = ['all', 'tuned', 'conformal', 'per act', 'bounded'] as const;
export type Bar = (typeof BARS)[number];

export interface Aims {
  /** Share to be answered. */
  level: Level;
  /** Share of the answered that may be wrong, and with which probability that may be missed. */
  risk: Level;
  delta: Level;
}

/** `tau`: null where acts have their own, or none is reached: then nothing is answered. */
export interface Threshold {
  tau: number | null;
  answers: (item: Pick<Item, 'act' | 'U'>) => boolean;
}

/** Promises are about questions like those of the calibrate split: contenders are compared, nothing is shipped. */
export function thresholdOf(
  bar: Bar,
  { tune, calibrate }: { tune: readonly Item[]; calibrate: readonly Item[] },
  { level, risk, delta }: Aims,
): Threshold {
  const items = calibrate.map(scoredOf);
  const common = { exchangeable: 'questions' } as const;
  switch (bar) {
    case 'all':
      return { tau: null, answers: ({ U }) => U !== null };
    case 'tuned':
      return below(nearestTau(calibrate, Number(level.text)));
    case 'conformal': {
      const { global } = calibrateActs(items, { ...common, target: 'coverage', level, scope: 'global' });
      return below(global.coverage?.tau ?? null);
    }
    case 'per act': {
      const { acts } = calibrateActs(items, { ...common, target: 'coverage', level, scope: 'acts' });
      return {
        tau: null,
        answers: ({ act, U }) => {
          const tau = act === null ? null : acts[act].tau;
          return U !== null && tau !== null && U <= tau;
        },
      };
    }
    case 'bounded': {
      const tuned = { tune: tune.map(scoredOf), delta };
      const asked = { ...common, ...tuned, target: 'risk', level: risk, scope: 'global' } as const;
      return below(calibrateActs(items, asked).global.risk?.tau ?? null);
    }
  }
}

function below(tau: number | null): Threshold {
  return { tau, answers: ({ U }) => U !== null && tau !== null && U <= tau };
}

/** The threshold that answers the share nearest to `coverage`, of two as near the stricter; null without any score. */
export function nearestTau(items: readonly Pick<Item, 'U'>[], coverage: number): number | null {
  const sorted = items.flatMap(({ U }) => U ?? []).sort((a, b) => a - b);
  let best: { tau: number; off: number } | null = null;
  for (const [place, tau] of sorted.entries()) {
    if (sorted[place + 1] === tau) continue;
    const off = Math.abs((place + 1) / items.length - coverage);
    if (best === null || off < best.off) best = { tau, off };
  }
  return best?.tau ?? null;
}
