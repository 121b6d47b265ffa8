/** Thresholds under which what is kept of an answer is borne out as often as was promised. */
import type { z } from 'zod';
import { PragauraError } from '../common/index.ts';
import type { Act } from '../profiles/index.ts';
import type { ScorersInfo } from '../scorers/index.ts';
import type { FactualityGuarantee } from './record.ts';

/** What a factuality calibration holds for; its file also names the code that verifies. */
export interface FactualityValidFor {
  /** The entailment model, "name@sha256". */
  nli: string;
  arithmetic: string;
  /** Models whose answers were labelled; null: not said, and not held against any. */
  generators: readonly string[] | null;
}

/** Made by `pragaura calibrate --target factuality`. */
export interface FactualityThresholds {
  /** Most probability that a sentence which is kept is not borne out, as it was written. */
  level: string;
  /** In [0, 1]: sentences with more support are kept. Null: none is. `act` null: that of all acts together. */
  thresholdFor(act: Act | null): number | null;
  /** What is promised, about which answers, or why nothing is. */
  sentence(act: Act | null): string;
  validFor: FactualityValidFor;
}

/** Whether a sentence of this support stays: above the threshold, since at it stood one that was not borne out. */
export function isKept(support: number | null, threshold: number | null): boolean {
  return support !== null && threshold !== null && support > threshold;
}

export function guaranteeOf(
  factuality: FactualityThresholds,
  act: Act | null,
): z.infer<typeof FactualityGuarantee> {
  const threshold = factuality.thresholdFor(act);
  return {
    status: threshold === null ? 'NOT_CALIBRATED' : 'CALIBRATED',
    level: factuality.level,
    act,
    threshold,
    sentence: factuality.sentence(act),
  };
}

/** What factuality thresholds are measured with here. Throws INTERNAL where no entailment model is open. */
export function factualityMadeWith(info: ScorersInfo): Omit<FactualityValidFor, 'generators'> {
  const nli = info.models.nli;
  if (nli === undefined) throw new PragauraError('INTERNAL', 'No entailment model is open.');
  return { nli: `${nli.name}@${nli.sha256}`, arithmetic: info.arithmetic };
}

/**
 * Throws CALIBRATION_MISMATCH where the thresholds were made with another entailment model, another arithmetic, or for
 * other generators than `generator` (undefined: whose answers come is not known).
 */
export function checkFactuality(
  { validFor }: FactualityThresholds,
  info: ScorersInfo,
  generator?: string,
): void {
  const own = factualityMadeWith(info);
  const differing = [
    ...(validFor.nli === own.nli ? [] : ['another entailment model']),
    ...(validFor.arithmetic === own.arithmetic
      ? []
      : [`${validFor.arithmetic} sums (here: ${own.arithmetic})`]),
    ...(generator === undefined || validFor.generators === null || validFor.generators.includes(generator)
      ? []
      : [`answers of ${validFor.generators.join(', ')}, not of ${generator}`]),
  ];
  if (differing.length === 0) return;
  throw new PragauraError(
    'CALIBRATION_MISMATCH',
    `The factuality calibration does not hold here: it was made with ${differing.join(' and ')}.`,
    { hint: 'Run "pragaura calibrate --target factuality" to make it anew.' },
  );
}
