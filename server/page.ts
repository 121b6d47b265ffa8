/** The page that asks this server: files of the package, and nothing from anywhere else. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isSystemError, PragauraError } from '../common/index.ts';
import type { App } from './app.ts';

const FILES = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/page/page.css', 'page.css', 'text/css; charset=utf-8'],
] as const;

/** No script, style or address but those of this server, and no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Adds its paths. Throws INTERNAL where it is not built. */
export function addPage(app: App): void {
  for (const [url, name, type] of FILES) {
    const content = read(name);
    app.get(url, { schema: { hide: true } as object }, async (_, reply) =>
      reply
        .header('content-security-policy', POLICY)
        .header('referrer-policy', 'no-referrer')
        .type(type)
        .send(content),
    );
  }
}

/** A file of the page: beside this room when it is built, in `dist` when the sources run as they are (tests). */
function read(name: string): Buffer {
  const here = import.meta.url;
  const file = fileURLToPath(new URL(`${here.endsWith('.ts') ? '../dist' : '..'}/page/${name}`, here));
  try {
    return readFileSync(file);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    throw new PragauraError('INTERNAL', `The page is not built: ${file} is missing.`, {
      hint: 'npm run build',
      cause: error,
    });
  }
}
