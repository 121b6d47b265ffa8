import { ACTS, type Act } from '../../profiles/index.ts';
import type { CalibratedThresholds } from '../../router/index.ts';
import type { WrongRule } from '../labels/wrong.ts';
import { parseLevel } from '../levels/level.ts';
import type { CalibrationArtifact } from './schema.ts';

/** What the router needs of an artifact. An act without a threshold is never answered. Pure. */
export function thresholdsFrom(artifact: CalibrationArtifact): CalibratedThresholds {
  const rows = new Map(artifact.acts.map((row) => [row.act, row]));
  const row = (act: Act) => rows.get(act)!;
  return {
    status: 'CALIBRATED',
    hash: artifact.integrity,
    validFor: artifact.validFor,
    score: artifact.score,
    limits: artifact.limits,
    tauFor: (act) => row(act).tau,
    // Without a calibrated band the reason alone says whether to ask.
    ...(artifact.target === 'joint' ? { askUpTo: (act: Act) => row(act).askUpTo } : {}),
    sentence: (act) => row(act).sentence,
  };
}

/** Acts that the artifact has no row for; it is then of no use. */
export function missingActs(artifact: CalibrationArtifact): Act[] {
  return ACTS.filter((act) => !artifact.acts.some((row) => row.act === act));
}

/** When an answer is wrong, as the artifact's promises mean it. */
export function ruleOf({ wrong }: CalibrationArtifact): WrongRule {
  return wrong.kind === 'em' ? { kind: 'em' } : { kind: 'f1', least: parseLevel(wrong.least) };
}
