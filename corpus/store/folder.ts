import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PragauraError } from '../../common/index.ts';
import { isSystemError, reasonOf } from './files.ts';
import { CURRENT, GENERATION, generationName, isOurs } from './layout.ts';

/** Runs something that writes; what the file system throws becomes WRITE_FAILED. */
export function writing<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PragauraError('WRITE_FAILED', `Cannot write the index ${dir}: ${reasonOf(error)}.`, {
      hint: 'An index that was there before is as it was. Make room, or name another --out.',
      cause: error,
    });
  }
}

/** Makes sure that the folder is there and is none that holds anything else. Returns whether it was created. */
export function prepare(dir: string): boolean {
  if (existsSync(dir)) {
    const entries = writing(dir, () => (statSync(dir).isDirectory() ? readdirSync(dir) : null));
    if (entries === null || !entries.every(isOurs)) {
      throw new PragauraError(
        'USAGE',
        `${dir} is not an index${entries === null ? ' but a file' : ' and not empty'}.`,
        {
          hint: 'Name a new or empty folder with --out, or an index to bring up to date.',
        },
      );
    }
    return false;
  }
  writing(dir, () => mkdirSync(dir, { recursive: true }));
  return true;
}

/** The generation that CURRENT names, whether or not it can be opened. */
export function currentName(dir: string): string | undefined {
  try {
    return /generation-\d{6}/.exec(readFileSync(join(dir, CURRENT), 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}

/** The name of the generation after all that are there: the current one need not be the last. */
export function nextGeneration(dir: string): string {
  const numbers = readdirSync(dir).map((entry) => Number(GENERATION.exec(entry)?.[1] ?? 0));
  return generationName(Math.max(0, Number(currentName(dir)?.slice(-6) ?? 0), ...numbers) + 1);
}

/** Removes generations that are not to stay: of builds that crashed, and those that were replaced. */
export function sweep(dir: string, stay: readonly string[]): void {
  for (const entry of readdirSync(dir)) {
    if (GENERATION.test(entry) && !stay.includes(entry))
      rmSync(join(dir, entry), { recursive: true, force: true });
  }
}
