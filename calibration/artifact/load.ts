import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { messageOf, PragauraError, packageVersion } from '../../common/index.ts';
import { type CalibratedThresholds, FEATURES } from '../../router/index.ts';
import { programHash } from '../observations/key.ts';
import { CALIBRATION_SCHEMA, CalibrationArtifact, integrityOf } from './schema.ts';
import { missingActs, thresholdsFrom } from './thresholds.ts';

/** What an artifact may hang on in the program itself. */
interface Program {
  version: string;
  program: string;
}

const AGAIN = 'Run "pragaura calibrate" to make it anew.';

/** The thresholds of an artifact on disk. Throws what `readArtifact` throws. */
export async function loadCalibration(file: string): Promise<CalibratedThresholds> {
  return thresholdsFrom(await readArtifact(file));
}

/**
 * An artifact as `pragaura calibrate` wrote it. Throws NOT_FOUND when it cannot be read, CALIBRATION_UNUSABLE when it
 * is no artifact, of another schema, or was changed since it was written, CALIBRATION_MISMATCH when another version of
 * this program made it: its U may mean something else.
 */
export async function readArtifact(file: string): Promise<CalibrationArtifact> {
  const text = await calibrationText(file);
  return artifactFrom(text, file, { version: packageVersion(), program: await programHash() });
}

/** `readArtifact` without reading; `own`: version and hash of this program. Pure. */
export function artifactFrom(text: string, name: string, own: Program): CalibrationArtifact {
  const artifact = sealed(text, name, CalibrationArtifact, CALIBRATION_SCHEMA);
  const missing = missingActs(artifact);
  if (missing.length > 0) throw unusable(name, `it says nothing of ${missing.join(', ')}.`);
  checkProgram(artifact, name, own);
  return artifact;
}

/**
 * What stands in a file that nobody may have changed: JSON of a schema with a hash over all else. Throws
 * CALIBRATION_UNUSABLE.
 */
export function sealed<T>(text: string, name: string, type: z.ZodType<T>, schema: string): T {
  const value = parsed(text, name);
  const own = (value as { schema?: unknown }).schema;
  if (own !== schema) {
    const is = typeof own === 'string' ? `of schema "${own.slice(0, 80)}"` : 'no calibration';
    throw unusable(name, `it is ${is}, and this version reads ${schema}.`);
  }
  const { integrity } = value as { integrity?: unknown };
  if (integrity !== integrityOf(value)) {
    throw unusable(name, 'it was changed after it was written, so that what it promises was not earned.');
  }
  const result = type.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unusable(name, `${issue?.path.join('.')}: ${issue?.message}`, result.error);
}

/** The text of a calibration. Throws NOT_FOUND. */
export async function calibrationText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new PragauraError('NOT_FOUND', `The calibration ${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Name a file that "pragaura calibrate" wrote.',
      cause: error,
    });
  }
}

function checkProgram({ createdBy, features }: CalibrationArtifact, name: string, own: Program): void {
  const differing: string[] = [];
  if (createdBy.version !== own.version) {
    differing.push(`version ${createdBy.version} (this is ${own.version})`);
  }
  if (createdBy.program !== own.program) differing.push('other code that decides');
  if (features.join() !== FEATURES.join()) differing.push('other features');
  if (differing.length === 0) return;
  throw new PragauraError(
    'CALIBRATION_MISMATCH',
    `The calibration ${name} does not hold here: it was made with ${differing.join(' and ')}.`,
    { hint: AGAIN },
  );
}

function parsed(text: string, name: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(name, `it is no JSON (${messageOf(error)}).`, error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw unusable(name, 'it holds no object.');
}

function unusable(name: string, why: string, cause?: unknown): PragauraError {
  return new PragauraError('CALIBRATION_UNUSABLE', `The calibration ${name} is of no use: ${why}`, {
    hint: AGAIN,
    cause,
  });
}
