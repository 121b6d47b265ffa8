import { rm, stat } from 'node:fs/promises';
import { PragauraError } from '../../errors.ts';
import { writeWholeFile } from '../../whole-file.ts';
import type { CalibrationArtifact } from './schema.ts';

const HINT = 'Name another file with --out.';

/** For people first: indented, a field a line. */
export function artifactText(artifact: CalibrationArtifact): string {
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

/** Writes the artifact; one that was there is replaced as a whole. Throws WRITE_FAILED. */
export async function saveArtifact(file: string, artifact: CalibrationArtifact): Promise<void> {
  await writeWholeFile(file, artifactText(artifact), HINT);
}

/** Throws WRITE_FAILED when an artifact could not be written there: to be asked before an hour of measuring. */
export async function checkWritable(file: string): Promise<void> {
  const there = await stat(file).catch(() => null);
  if (there?.isDirectory()) {
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: is a folder.`, { hint: HINT });
  }
  const probe = `${file}.probe`;
  await writeWholeFile(probe, '', HINT);
  await rm(probe, { force: true });
}
