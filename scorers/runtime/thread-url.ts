import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PragauraError } from '../../common/index.ts';

/**
 * Where the code of an inference thread lies: beside this file when it is built; in `dist` when the sources run
 * as they are (tests), because a worker thread needs JavaScript. TEST_DIST: another build than that, for tests.
 */
export function threadUrl(): URL {
  const here = import.meta.url;
  const dist = process.env.TEST_DIST === undefined ? undefined : pathToFileURL(`${process.env.TEST_DIST}/`);
  const url = here.endsWith('.ts')
    ? new URL('scorers/runtime/thread.js', dist ?? new URL('../../dist/', here))
    : new URL('./thread.js', here);
  if (!existsSync(url)) {
    throw new PragauraError(
      'INTERNAL',
      `the inference thread is not built: ${fileURLToPath(url)} is missing`,
      {
        hint: 'npm run build',
      },
    );
  }
  return url;
}
