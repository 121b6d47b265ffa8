import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PragauraError } from '../../errors.ts';

/**
 * Where the code of an inference thread lies: beside this file when it is built; in `dist` when the sources run
 * as they are (tests), because a worker thread needs JavaScript.
 */
export function threadUrl(): URL {
  const here = import.meta.url;
  const url = here.endsWith('.ts')
    ? new URL('../../dist/scorers/runtime/thread.js', here)
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
