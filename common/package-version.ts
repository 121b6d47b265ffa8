import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Version of this program. */
export function packageVersion(): string {
  const file = createRequire(import.meta.url).resolve('pragaura/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
