/** The build's last step: puts all of yargs into `dist/cli/yargs.js` (see `yargs.ts`). */
import { resolve } from 'node:path';
import { build } from 'rolldown';

await build({
  input: 'node_modules/yargs/index.mjs',
  platform: 'node',
  logLevel: 'silent',
  // What lays out yargs' columns asks for string-width 7, which looks at every letter as if it were an emoji: a sixth
  // of the time of `--help`. yargs itself uses 8, which knows ASCII at once.
  resolve: { alias: { 'string-width': resolve('node_modules/string-width') } },
  output: { file: 'dist/cli/yargs.js' },
});
