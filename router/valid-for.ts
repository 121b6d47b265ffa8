import { isDeepStrictEqual } from 'node:util';
import { PragauraError } from '../common/index.ts';
import type { ValidFor } from './types.ts';

/** Each part in words, where it differs. */
export const DIFFERING: Readonly<Record<keyof ValidFor, string>> = {
  index: 'another index',
  models: 'other models',
  arithmetic: 'another arithmetic',
  profiles: 'other profiles',
  policy: 'another policy',
  budget: 'another budget',
  layers: 'other layers',
  vocabulary: 'another vocabulary',
  graph: 'another graph',
  decider: 'another decider',
  planner: 'another planner',
  utilities: 'other utilities',
  sampler: 'another language model, or other answers drawn of it',
};

/** Throws CALIBRATION_MISMATCH, naming every part that differs: thresholds hold only for what they were fitted on. */
export function checkCalibration(calibrated: ValidFor, opened: ValidFor): void {
  const differing = (Object.keys(DIFFERING) as (keyof ValidFor)[])
    .filter((part) => !isDeepStrictEqual(calibrated[part], opened[part]))
    .map((part) => {
      if (part === 'models') return `${DIFFERING.models} (${jobsThatDiffer(calibrated, opened)})`;
      if (part === 'arithmetic')
        return `${DIFFERING.arithmetic} (${calibrated.arithmetic}, here ${opened.arithmetic})`;
      return DIFFERING[part];
    });
  if (differing.length === 0) return;
  throw new PragauraError(
    'CALIBRATION_MISMATCH',
    `The calibration does not hold here: it was made with ${differing.join(', ')}.`,
    { hint: 'Run "pragaura calibrate" again with what is used now, or use what it was made with.' },
  );
}

function jobsThatDiffer({ models: then }: ValidFor, { models: now }: ValidFor): string {
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((job) => then[job] !== now[job])
    .join(', ');
}
