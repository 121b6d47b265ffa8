/** Model files: read once, checked, and used from the very bytes that were checked. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf, PragauraError } from '../../common/index.ts';
import type { Located } from '../hub/locate.ts';
import { keepsDataOutside } from './external-data.ts';

const MEND = 'install the package anew, or put back the file that models.lock.json names';
const MEND_CACHED = 'remove it, and pull the model again with "pragaura models pull"';

/**
 * The bytes of a file whose size and sha256 are those that it must have, in memory that threads can share.
 * Throws MODEL_UNUSABLE when the file is missing or another.
 */
export async function readVerified(file: Located): Promise<Uint8Array<SharedArrayBuffer>> {
  const { path } = file;
  const refuse = (what: string, cause?: unknown): PragauraError =>
    new PragauraError('MODEL_UNUSABLE', `${path} ${what}`, {
      hint: file.isCached ? MEND_CACHED : MEND,
      cause,
    });
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw refuse(`cannot be read: ${messageOf(error)}`, error);
  }
  try {
    const { size } = await handle.stat();
    if (file.bytes !== undefined && size !== file.bytes) throw refuse(`has ${size} bytes, not ${file.bytes}`);
    const bytes = new Uint8Array(new SharedArrayBuffer(size));
    let at = 0;
    while (at < size) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at);
      if (bytesRead === 0) throw refuse(`ended after ${at} of ${size} bytes`);
      at += bytesRead;
    }
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== file.sha256) throw refuse(`has sha256 ${found}, not ${file.sha256}`);
    return bytes;
  } catch (error) {
    throw PragauraError.isInstance(error) ? error : refuse(`cannot be read: ${messageOf(error)}`, error);
  } finally {
    await handle.close();
  }
}

/** Throws MODEL_UNUSABLE when a graph would read further files, which nobody has checked, or is no graph. */
export function refuseExternalData({ path, isCached }: Located, bytes: Uint8Array): void {
  let outside: boolean;
  try {
    outside = keepsDataOutside(bytes);
  } catch (error) {
    throw new PragauraError('MODEL_UNUSABLE', `cannot use ${path}: ${messageOf(error)}`, {
      hint: isCached ? MEND_CACHED : MEND,
      cause: error,
    });
  }
  if (outside) {
    throw new PragauraError('MODEL_UNUSABLE', `${path} keeps weights in another file`, {
      hint: 'export the model into one file',
    });
  }
}
