/** What `npm pack` would pack. Tests only; `npm test` builds first. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '..', '..');

/** Paths from the root, with slashes; throws where npm fails. */
export function packedFiles(): string[] {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // A list up to npm 11, then an object by name of package.
  const [packed] = Object.values(JSON.parse(json) as Record<string, { files: { path: string }[] }>);
  return packed!.files.map((file) => file.path);
}
