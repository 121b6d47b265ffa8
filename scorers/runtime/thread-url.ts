import { pathToFileURL } from 'node:url';
import { builtFile } from '../../common/index.ts';

/** Where the code of an inference thread lies. Throws INTERNAL where it is not built. */
export function threadUrl(): URL {
  return pathToFileURL(builtFile('scorers/runtime/thread.js'));
}
