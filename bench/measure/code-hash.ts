import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOMS = ['router', 'profiles', 'scorers'];
const SOURCE = /(?<!\.test|\.d)\.(?:js|ts|json)$/;

/** Hash over the program that makes the decisions, so that results of two versions of it are never mixed. */
export async function codeHash(root = fileURLToPath(new URL('../../', import.meta.url))): Promise<string> {
  const hash = createHash('sha256');
  for (const room of ROOMS) {
    const files = await readdir(path.join(root, room), { recursive: true });
    for (const file of files.filter((name) => SOURCE.test(name)).sort()) {
      hash.update(`${room}/${file}\0`).update(await readFile(path.join(root, room, file)));
    }
  }
  return hash.digest('hex');
}
