/** The page that asks this server: files of the package, and nothing from anywhere else. */
import { readFileSync } from 'node:fs';
import { builtFile } from '../common/index.ts';
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
    const content = readFileSync(builtFile(`page/${name}`));
    app.get(url, { schema: { hide: true } as object }, async (_, reply) =>
      reply
        .header('content-security-policy', POLICY)
        .header('referrer-policy', 'no-referrer')
        .type(type)
        .send(content),
    );
  }
}
