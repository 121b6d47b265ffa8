/** A step of the build: puts the page into `dist/page`, as one script, one style sheet and one document. */
import { cpSync } from 'node:fs';
import { build } from 'rolldown';

await build({
  input: 'page/page.tsx',
  platform: 'browser',
  logLevel: 'silent',
  transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
  output: { file: 'dist/page/page.js', minify: true },
});
for (const name of ['index.html', 'page.css']) cpSync(`page/${name}`, `dist/page/${name}`);
