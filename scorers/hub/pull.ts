/** All files of a model from the hub, from one commit, each with the hash that it must have. */
import { PragauraError } from '../../errors.ts';
import type { LockedFile, Named } from '../runtime/registry.ts';
import { RepositoryCache } from './cache.ts';
import { type FileOnHub, Hub, type HubOptions } from './client.ts';
import { type DownloadOptions, download, kept } from './download.ts';
import { sumsOf } from './hash.ts';
import { filesOf, pullHint } from './locate.ts';
import type { HubSettings } from './settings.ts';
import { keyOf, type Trusted, trust, trusted } from './trust.ts';

export interface PullOptions extends HubOptions, Omit<DownloadOptions, 'onProgress'> {
  /** `done` of `total` bytes of the file `path` are here. */
  onProgress?: (path: string, done: number, total: number) => void;
}

export interface PulledFile {
  path: string;
  bytes: number;
  sha256: string;
  commit: string;
  /** Who vouches for the hash: the lock file, the record of an earlier pull, or nobody before this pull. */
  vouched: 'locked' | 'earlier' | 'first';
  /** False when the cache had it. */
  fetched: boolean;
}

interface Wanted {
  path: string;
  bytes: number | undefined;
  sha256: string | undefined;
  vouched: PulledFile['vouched'];
  record: Trusted | undefined;
}

/**
 * Brings the files of a hub's model into the cache, checked. What is there, by us or by another tool, is not fetched
 * again. Throws what `Hub.look` and `download` throw; MODEL_UNUSABLE when the hub has other files than the lock file or
 * the first pull says, or when something is missing and nothing may be fetched (HF_HUB_OFFLINE).
 */
export async function pull(
  named: Named,
  settings: HubSettings,
  options: PullOptions = {},
): Promise<PulledFile[]> {
  const repo = named.model.hub!;
  const { revision } = named.model;
  const cache = new RepositoryCache(settings.cacheDir, repo);
  const wanted = await Promise.all(filesOf(named).map((file) => wantedOf(named, file, settings)));
  const pulled =
    (await fromCache(cache, named, wanted, settings, options)) ??
    (await fromHub(cache, named, wanted, settings, options));
  for (const [i, { path, bytes, sha256, commit, vouched }] of pulled.entries()) {
    if (vouched !== 'first') continue;
    const address = { repo, revision, path: wanted[i]!.path };
    await trust(settings.trustFile, address, { bytes, sha256, commit }, options.signal);
    options.announce?.(
      `${path} of ${repo}@${revision} is trusted from now on, for its first use, with sha256 ${sha256}.`,
    );
  }
  return pulled;
}

async function wantedOf({ model }: Named, file: LockedFile, settings: HubSettings): Promise<Wanted> {
  const { path, bytes, sha256 } = file;
  if (sha256 !== undefined) return { path, bytes, sha256, vouched: 'locked', record: undefined };
  const record = await trusted(settings.trustFile, { repo: model.hub!, revision: model.revision, path });
  return record === undefined
    ? { path, bytes, sha256, vouched: 'first', record }
    : { path, bytes: record.bytes, sha256: record.sha256, vouched: 'earlier', record };
}

/**
 * The files as the cache has them, when they are all there with the hashes that they must have; null otherwise. Offline
 * also those that nobody vouches for yet.
 */
async function fromCache(
  cache: RepositoryCache,
  named: Named,
  wanted: readonly Wanted[],
  settings: HubSettings,
  { signal }: PullOptions,
): Promise<PulledFile[] | null> {
  const { revision } = named.model;
  const commit = await cache.commitOf(revision);
  const pulled: PulledFile[] = [];
  const missing: string[] = [];
  for (const { path, bytes, sha256, vouched } of wanted) {
    const found = await cache.find(revision, path);
    const sums =
      found === null || (vouched === 'first' && !settings.offline) ? null : await sumsOf(found, signal);
    const isRight =
      sums !== null && (sha256 ?? sums.sha256) === sums.sha256 && (bytes ?? sums.bytes) === sums.bytes;
    if (isRight)
      pulled.push({ path, bytes: sums.bytes, sha256: sums.sha256, commit: commit!, vouched, fetched: false });
    else missing.push(`${path}${sums === null ? '' : ' (there with another content)'}`);
  }
  if (missing.length === 0) return pulled;
  if (!settings.offline) return null;
  throw new PragauraError(
    'MODEL_UNUSABLE',
    `The model ${named.name} is not whole in ${settings.cacheDir}: ${missing.join(', ')} of ${named.model.hub} at ${revision} missing.`,
    { hint: pullHint(named.name, named.model.hub!, settings) },
  );
}

async function fromHub(
  cache: RepositoryCache,
  named: Named,
  wanted: readonly Wanted[],
  settings: HubSettings,
  options: PullOptions,
): Promise<PulledFile[]> {
  const hub = new Hub(settings, options);
  try {
    const pulled: PulledFile[] = [];
    // All from the commit of the first, though a branch may move meanwhile.
    let at = named.model.revision;
    for (const want of wanted) {
      const file = await hub.look(named.model.hub!, at, want.path);
      at = file.commit;
      refuseAnother(named, want, { ...file, revision: named.model.revision }, settings.trustFile);
      const got = await download(hub, cache, file, want.sha256, {
        signal: options.signal,
        ...(options.announce && { announce: options.announce }),
        onProgress: (done, total) => options.onProgress?.(want.path, done, total),
      });
      await kept(file, settings, options, () => cache.link(file.commit, want.path, file.etag));
      const { path, vouched } = want;
      pulled.push({ path, bytes: file.bytes, commit: file.commit, vouched, ...got });
    }
    await cache.writeRef(named.model.revision, at);
    return pulled;
  } finally {
    await hub.close();
  }
}

/** Refuses before a byte is fetched what the hub itself says is another file. */
function refuseAnother(
  { name, model }: Named,
  { path, bytes, sha256, record }: Wanted,
  file: FileOnHub,
  trustFile: string,
): void {
  const isHash = /^[0-9a-f]{64}$/.test(file.etag);
  const other =
    sha256 !== undefined && isHash && file.etag !== sha256
      ? `with sha256 ${file.etag}, not ${sha256}`
      : bytes !== undefined && file.bytes !== bytes
        ? `of ${file.bytes} bytes, not ${bytes}`
        : null;
  if (other === null) return;
  const base = name.split('@')[0]!;
  throw new PragauraError(
    'MODEL_UNUSABLE',
    `${model.hub} at ${model.revision} has another ${path} than ${record === undefined ? 'the lock file names' : 'when it was first pulled'}: one ${other}.`,
    {
      hint: `Nothing was fetched. ${
        record === undefined
          ? `If the new file is wanted: pragaura models pull ${base}@${file.commit}`
          : record.commit === file.commit
            ? `A commit does not change, so one of the two came broken: to trust this one, remove "${keyOf(file)}" from ${trustFile}`
            : `The old one: pragaura models pull ${base}@${record.commit}; the new one: pragaura models pull ${base}@${file.commit}`
      }`,
    },
  );
}
