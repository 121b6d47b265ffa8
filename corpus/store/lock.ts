import { join } from 'node:path';
import { holderOf, PragauraError, tryFileLock } from '../../common/index.ts';
import { LOCK } from './layout.ts';

/**
 * Takes the lock of an index folder, from a process that is gone where need be, and returns what gives it back.
 * @throws INDEX_LOCKED while another process (of this or another machine) holds it
 */
export function lock(dir: string): () => void {
  const path = join(dir, LOCK);
  const release = tryFileLock(path);
  if (release !== null) return release;
  throw new PragauraError('INDEX_LOCKED', `${dir} is being written by ${holderOf(path)}.`, {
    hint: `Wait until it is done. If no such process runs any more, remove ${path}.`,
  });
}
