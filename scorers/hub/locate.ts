/** Where the files of a model are on this machine, and what they must be. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, PragauraError } from '../../common/index.ts';
import { filesOf, type LockedFile, type Named } from '../runtime/registry.ts';
import { RepositoryCache, unreadable } from './cache.ts';
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

/**
 * A file of a model: beside the lock file, or in the hub's cache. Throws MODEL_UNUSABLE, naming what mends it, when it
 * was never pulled here, or the cache cannot be read. Nothing is fetched.
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
  return offline !== null
    ? `${offline} is set: unset it and run "pragaura models pull ${name}", or bring ${repo} into ${cacheDir} from a machine that has it`
    : `pragaura models pull ${name}`;
}

export interface Whereabouts {
  where: Where;
  /** Of the files that scoring reads, as they are on the disk or else in the lock file; null when neither says. */
  bytes: number | null;
  /** Why it counts as absent, where it is not plainly so. */
  fault: PragauraError | undefined;
}

/** That a model counts as absent because of a fault, in words. */
export function absence(name: string, { message, hint }: PragauraError): string {
  return `${name} counts as absent: ${message} ${hint}`;
}

/** Where a model is found. What cannot be read counts as absent. */
export async function whereabouts(
  dir: string,
  { model }: Named,
  settings: HubSettings,
): Promise<Whereabouts> {
  let bytes: number | null = 0;
  let isAbsent = false;
  let fault: PragauraError | undefined;
  for (const file of filesOf(model)) {
    let size: number | null = null;
    try {
      const path =
        model.hub === undefined
          ? join(dir, file.path)
          : await new RepositoryCache(settings.cacheDir, model.hub).find(model.revision, file.path);
      if (path !== null) size = await sizeOf(path);
    } catch (error) {
      if (!PragauraError.isInstance(error)) throw error;
      fault ??= error;
    }
    isAbsent ||= size === null;
    // The config is for a check alone, and the lock file seldom knows its size.
    if (file === model.config) continue;
    const known = size ?? file.bytes;
    bytes = bytes === null || known === undefined ? null : bytes + known;
  }
  if (isAbsent) return { where: 'absent', bytes, fault };
  return { where: model.hub === undefined ? 'shipped' : 'cache', bytes, fault };
}

/** Null when there is no such file. Throws MODEL_UNUSABLE when the disk does not say. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw unreadable(path, error);
  }
}
