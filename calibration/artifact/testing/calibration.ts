import { provisionalThresholds } from '../../../router/index.ts';
import { isWrong } from '../../labels/wrong.ts';
import { parseLevel } from '../../levels/level.ts';
import type { CalibrationSettings } from '../fit.ts';

/** Settings of a calibration of coverage .8 by the formula, with EM; `change` sets others. Tests only. */
export function settings(change: Partial<CalibrationSettings> = {}): CalibrationSettings {
  return {
    target: 'coverage',
    scope: 'acts',
    exchangeable: 'questions',
    level: parseLevel('0.8'),
    delta: null,
    ask: null,
    kind: 'formula',
    planner: null,
    rule: { kind: 'em' },
    wrong: (observation) => isWrong(observation, { kind: 'em' }),
    limits: provisionalThresholds().limits,
    validFor: {
      index: 'i',
      models: { read: 'm@1' },
      arithmetic: 'exact',
      profiles: 'p',
      policy: 'act',
      budget: { docsScored: 60, rerankPairs: 20, nliPairs: 24, contextTokens: 4_000, ms: null },
      layers: 'l',
      vocabulary: null,
      graph: null,
      decider: 'thresholds',
      planner: null,
      utilities: null,
      sampler: null,
    },
    splits: { seed: 1, shares: { tune: 40, calibrate: 40, test: 20 }, testFile: false },
    version: '0.0.0-test',
    program: 'code',
    ...change,
  };
}
