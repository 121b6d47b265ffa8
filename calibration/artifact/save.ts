import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, PragauraError } from '../../errors.ts';
import { isSystemError, systemReason } from '../../system-error.ts';
import type { CalibrationArtifact } from './schema.ts';

/** For people first: indented, a field a line. */
export function artifactText(artifact: CalibrationArtifact): string {
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

/**
 * Writes the artifact beside its place and renames it there: the file is the old one or the new one, never a part.
 * Throws WRITE_FAILED.
 */
export async function saveArtifact(file: string, artifact: CalibrationArtifact): Promise<void> {
  await beside(file, async (part) => {
    await write(part, artifactText(artifact));
    await rename(part, file);
  });
}

/** Throws WRITE_FAILED when the artifact could not be written; to be asked before hours of measuring. */
export async function checkWritable(file: string): Promise<void> {
  await beside(file, async (part) => {
    await write(part, '');
    await rm(part);
  });
}

async function beside(file: string, work: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.${randomUUID()}.part`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    const before = await stat(file).catch(() => null);
    if (before?.isDirectory()) throw new PragauraError('WRITE_FAILED', `${file} is a folder, not a file.`);
    await work(part);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    if (PragauraError.isInstance(error)) throw error;
    const why = isSystemError(error) ? systemReason(error) : messageOf(error);
    throw new PragauraError('WRITE_FAILED', `The calibration ${file} cannot be written: ${why}.`, {
      hint: 'Name another file with --out.',
      cause: error,
    });
  }
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
