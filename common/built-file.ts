/** Files of the build, for processes and threads of their own, which need JavaScript. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PragauraError } from './errors.ts';

/**
 * Where a file of the build lies: in the build that is running, or in `dist` when the sources run as they are (tests).
 * TEST_DIST: another build than that, for tests. Throws INTERNAL where it is not built.
 */
export function builtFile(name: string): string {
  const here = import.meta.url;
  const dist = here.endsWith('.ts')
    ? (process.env.TEST_DIST ?? fileURLToPath(new URL('../dist', here)))
    : fileURLToPath(new URL('..', here));
  const file = path.join(dist, name);
  if (existsSync(file)) return file;
  throw new PragauraError('INTERNAL', `${file} is missing: it is not built.`, { hint: 'npm run build' });
}
