/** Files that are never seen half written. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PragauraError } from './errors.ts';
import { failureReason } from './system-error.ts';

/**
 * Writes a text or bytes beside their place, waits until it is on the disk and renames it there: the file is the old one or the
 * new one, whatever happens. Makes the folder where there is none. Throws WRITE_FAILED, with `hint`.
 */
export async function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  hint: string,
): Promise<void> {
  const part = `${file}.${randomUUID()}.part`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    const handle = await open(part, 'wx');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    const why = failureReason(error);
    throw new PragauraError('WRITE_FAILED', `${file} cannot be written: ${why}.`, { hint, cause: error });
  }
}
