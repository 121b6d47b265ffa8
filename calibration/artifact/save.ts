import { rm, stat } from 'node:fs/promises';
import { PragauraError, writeWholeFile } from '../../common/index.ts';

/** What to do where the file of an option cannot be written. */
export function hintFor(option: string): string {
  return `Name another file with --${option}.`;
}

/** Numbers in a row: a line break stands nowhere inside a string of JSON. */
const ROW = /\[\n(?:\s*-?[\d.e+-]+,?\n)+\s*\]/g;

/** For people first: indented, a field a line, numbers of one list on one. */
export function artifactText(artifact: object): string {
  const text = JSON.stringify(artifact, null, 2).replace(ROW, (row) => row.replace(/\s+/g, ' '));
  return `${text}\n`;
}

/** Writes the artifact; one that was there is replaced as a whole. Throws WRITE_FAILED. */
export async function saveArtifact(file: string, artifact: object): Promise<void> {
  await writeWholeFile(file, artifactText(artifact), hintFor('out'));
}

/** Throws WRITE_FAILED when the file of an option could not be written: to be asked before an hour of measuring. */
export async function checkWritable(file: string, option = 'out'): Promise<void> {
  const hint = hintFor(option);
  const there = await stat(file).catch(() => null);
  if (there?.isDirectory()) {
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: is a folder.`, { hint });
  }
  const probe = `${file}.probe`;
  await writeWholeFile(probe, '', hint);
  await rm(probe, { force: true });
}
