import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultModelsDir } from '../registry.ts';

export const EMBEDDER = 'pragaura-embedder';
export const CROSS = 'pragaura-cross-encoder';

/** A lock file as JSON, free to be spoilt. */
// biome-ignore lint/suspicious/noExplicitAny: tests break it in every way
export type AnyLock = any;

/** A models folder like the package's own, its lock file changed by `change` and `files` put over the real ones. */
export function modelsDir(
  change: (lock: AnyLock) => void = () => {},
  files: Readonly<Record<string, Uint8Array | null>> = {},
): string {
  const source = defaultModelsDir();
  const dir = mkdtempSync(join(tmpdir(), 'pragaura-models-'));
  const lock: AnyLock = JSON.parse(readFileSync(join(source, 'models.lock.json'), 'utf8'));
  const paths = new Set<string>();
  for (const name of [EMBEDDER, CROSS]) {
    paths.add(lock.models[name].weights.path);
    paths.add(lock.models[name].tokenizer.path);
  }
  for (const path of new Set([...paths, ...Object.keys(files)])) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    const bytes = files[path];
    if (bytes === undefined) symlinkSync(join(source, path), join(dir, path));
    else if (bytes !== null) writeFileSync(join(dir, path), bytes);
  }
  change(lock);
  writeFileSync(join(dir, 'models.lock.json'), JSON.stringify(lock));
  return dir;
}

export function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
