/** Where the files of a model are on this machine, and what they must be. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PragauraError } from '../../errors.ts';
import { isSystemError } from '../../system-error.ts';
import type { LockedFile, Named } from '../runtime/registry.ts';
import { RepositoryCache } from './cache.ts';
import type { HubSettings } from './settings.ts';
import { trusted } from './trust.ts';

/** A file that is here. `bytes`: where the lock file or the first pull says how many. */
export interface Located {
  path: string;
  bytes: number | undefined;
  sha256: string;
  /** Out of the hub's cache, not beside the lock file. */
  isCached: boolean;
}

export type Where = 'shipped' | 'cache' | 'absent';

/** The files of a model that scoring or its checks need. */
export function filesOf({ model }: Pick<Named, 'model'>): LockedFile[] {
  return [model.weights, model.upper, model.tokenizer, model.config].filter((file) => file !== undefined);
}

/**
 * A file of a model: beside the lock file, or in the hub's cache. Throws MODEL_UNUSABLE, naming what mends it, when it
 * was never pulled here. Nothing is fetched.
 */
export async function locate(
  dir: string,
  { name, model }: Named,
  file: LockedFile,
  settings: HubSettings,
): Promise<Located> {
  if (model.hub === undefined) {
    return { path: join(dir, file.path), bytes: file.bytes, sha256: file.sha256!, isCached: false };
  }
  const address = { repo: model.hub, revision: model.revision, path: file.path };
  const path = await new RepositoryCache(settings.cacheDir, model.hub).find(model.revision, file.path);
  const known =
    file.sha256 === undefined ? await trusted(settings.trustFile, address) : { sha256: file.sha256 };
  if (path !== null && known !== undefined) {
    return { path, bytes: file.bytes, sha256: known.sha256, isCached: true };
  }
  const what =
    path === null
      ? `is not here (looked for it in ${settings.cacheDir})`
      : 'was not pulled by pragaura yet, and its hash is not known';
  throw new PragauraError('MODEL_UNUSABLE', `${file.path} of the model ${name} ${what}`, {
    hint: pullHint(name, model.hub, settings),
  });
}

/** How to get a model that is not here. */
export function pullHint(name: string, repo: string, { offline, cacheDir }: HubSettings): string {
  return offline
    ? `HF_HUB_OFFLINE is set: unset it and run "pragaura models pull ${name}", or bring ${repo} into ${cacheDir} from a machine that has it`
    : `pragaura models pull ${name}`;
}

/** Where a model is found, and the bytes of its files that are there. */
export async function whereabouts(
  dir: string,
  { model }: Named,
  settings: HubSettings,
): Promise<{ where: Where; bytes: number }> {
  let bytes = 0;
  let missing = false;
  for (const file of filesOf({ model })) {
    const path =
      model.hub === undefined
        ? join(dir, file.path)
        : await new RepositoryCache(settings.cacheDir, model.hub).find(model.revision, file.path);
    const size = path === null ? null : await sizeOf(path);
    if (size === null) missing = true;
    else bytes += size;
  }
  if (missing) return { where: 'absent', bytes };
  return { where: model.hub === undefined ? 'shipped' : 'cache', bytes };
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
