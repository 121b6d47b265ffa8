import { createHash, type Hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { shippedModelDir } from '../../router/acts/index.ts';
import { shippedPoisonDir } from '../../router/poison/index.ts';

export const ROOMS = ['common', 'corpus', 'conversation', 'router', 'profiles', 'scorers'];
const SOURCE = /(?<!\.test|\.d)\.(?:js|ts|json)$/;

/**
 * Hash over the program that makes the decisions and the weights that it keeps beside itself, so that results of
 * two versions are never mixed; `rooms`: the folders of the program that count, `except`: files in them, by their
 * path in the room, that do not. (The models of the lock file have hashes of their own.)
 */
export async function codeHash(
  root = fileURLToPath(new URL('../../', import.meta.url)),
  weights: readonly string[] = [shippedModelDir(), shippedPoisonDir()],
  rooms: readonly string[] = ROOMS,
  except?: RegExp,
): Promise<string> {
  const hash = createHash('sha256');
  for (const room of rooms) {
    for (const file of await filesIn(path.join(root, room))) {
      if (SOURCE.test(file) && except?.test(file) !== true) await add(hash, path.join(root, room), file);
    }
  }
  for (const dir of weights) {
    for (const file of await filesIn(dir)) {
      // The page about them decides nothing.
      if (!file.endsWith('.md')) await add(hash, dir, file);
    }
  }
  return hash.digest('hex');
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)))
    .sort();
}

async function add(hash: Hash, dir: string, file: string): Promise<void> {
  hash.update(`${path.basename(dir)}/${file}\0`).update(await readFile(path.join(dir, file)));
}
